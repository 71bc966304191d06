// The commands, in the order the help lists them. A new command is a file and a line here.
import { calibrate } from './calibrate.js'
import { check } from './check.js'
import type { Command } from './command.js'
import { completionOf } from './completion.js'
import { consoleCommand } from './console.js'
import { diff } from './diff.js'
import { doctor } from './doctor.js'
import { explain } from './explain.js'
import { init } from './init.js'
import { lint } from './lint.js'
import { mcp } from './mcp.js'
import { replay } from './replay.js'
import { schema } from './schema.js'
import { templates } from './templates.js'
import { test } from './test.js'
import { validate } from './validate.js'
import { version } from './version.js'

export const commands: readonly Command[] = [
  init,
  templates,
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
  consoleCommand,
  schema,
  completionOf(() => commands),
  version,
]
