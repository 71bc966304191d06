// A backup is a data folder: whoever starts a console with it has everything, the secret included, without which the
// database opens nothing.
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFile } from '../../store/open-database.js'
import { copySqlite } from '../../store/sqlite/copy.js'
import { secretsFile } from './data-folder.js'
import { type ConsoleOptions, OptionError } from './options.js'

/**
 * @param target a folder that is not there yet
 * @throws OptionError when there is nothing to copy or the target is taken; then nothing is made
 */
export function backUp({ dataFolder, databaseUrl }: ConsoleOptions, target: string): void {
  if (databaseUrl !== undefined)
    throw new OptionError('this console keeps its data in PostgreSQL; back that up with pg_dump')
  if (existsSync(target)) throw new OptionError(`${target} is there already; name a folder to be made`)
  const database = join(dataFolder, databaseFile)
  if (!existsSync(database)) throw new OptionError(`there is no ${database}`)
  process.umask(0o077)
  mkdirSync(target, { recursive: true, mode: 0o700 })
  try {
    // Nodes that share a secret have it from outside, and no file.
    const secrets = join(dataFolder, secretsFile)
    if (existsSync(secrets)) copyFileSync(secrets, join(target, secretsFile))
    copySqlite(database, join(target, databaseFile))
  } catch (error) {
    rmSync(target, { recursive: true, force: true })
    throw error
  }
}
