// @ts-check
// Where things are in this workspace: its root, its packages, their doors.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Scratch space inside the workspace, so that `edictum` resolves from it. Ignored by git. */
export const cacheFolder = join(root, '.cache')

/**
 * @typedef {object} Door one entry of a package's exports map
 * @property {string} subpath as written in the map, `.` or `./storage/redis`
 * @property {string} specifier what a user imports, `edictum` or `edictum/storage/redis`
 * @property {string} file relative to the package
 * @property {string | undefined} types relative to the package; absent for data files
 */

/**
 * @typedef {object} WorkspacePackage
 * @property {string} name
 * @property {string} version
 * @property {string} folder
 * @property {boolean} isPublished
 * @property {Record<string, string>} bin
 * @property {Record<string, string>} dependencies
 * @property {Record<string, string>} peerDependencies
 * @property {readonly Door[]} doors
 */

/** @returns {WorkspacePackage[]} */
export function listPackages() {
  const packagesFolder = join(root, 'packages')
  return readdirSync(packagesFolder)
    .map((name) => join(packagesFolder, name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map(readPackage)
}

/**
 * @param {string} folder
 * @returns {WorkspacePackage}
 */
function readPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return {
    name: manifest.name,
    version: manifest.version,
    folder,
    isPublished: manifest.private !== true,
    bin: typeof manifest.bin === 'string' ? { [manifest.name]: manifest.bin } : (manifest.bin ?? {}),
    dependencies: manifest.dependencies ?? {},
    peerDependencies: manifest.peerDependencies ?? {},
    doors: Object.entries(manifest.exports ?? {}).map(([subpath, target]) => ({
      subpath,
      specifier: manifest.name + subpath.slice(1),
      file: typeof target === 'string' ? target : target.default,
      types: typeof target === 'string' ? undefined : target.types,
    })),
  }
}
