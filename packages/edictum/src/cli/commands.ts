// The commands, in the order the help lists them. A new command is a file and a line here.
import { calibrate } from './calibrate.js'
import { check } from './check.js'
import type { Command } from './command.js'
import { diff } from './diff.js'
import { doctor } from './doctor.js'
import { explain } from './explain.js'
import { lint } from './lint.js'
import { mcp } from './mcp.js'
import { replay } from './replay.js'
import { test } from './test.js'
import { validate } from './validate.js'
import { version } from './version.js'

export const commands: readonly Command[] = [
  validate,
  lint,
  check,
  explain,
  test,
  diff,
  replay,
  calibrate,
  doctor,
  mcp,
  version,
]
