#!/usr/bin/env node
// Beside the build and not in it: npm links a command when it installs, and only to a file that is there.
import '../dist/cli/main.js'
