// Written by scripts/generate.mjs from package.json.

/** The version of this package. */
export const VERSION: string = '0.1.0'
