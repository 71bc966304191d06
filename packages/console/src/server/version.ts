import { readFileSync } from 'node:fs'

/** The version of this package: beside `dist` in the package, beside `src` in the repository. */
export const consoleVersion: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
