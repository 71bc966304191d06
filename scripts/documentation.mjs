// @ts-check
// How each block of the documentation is tried, and the programs among them run as a reader would run them. What needs a
// framework, Redis or PostgreSQL, or the console, is run by the tests that have these: its fence says which.

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { readPage } from './markdown.mjs'
import { runCommand } from './run-command.mjs'
import { cacheFolder, root } from './workspace.mjs'

const skippedFolders = new Set(['node_modules', 'dist', 'coverage', '.cache', '.git', 'results'])
const packageImport = /\bfrom\s+['"]edictum(?:\/[^'"]*)?['"]|\bimport\(\s*['"]edictum/
const script = /^(js|mjs|javascript|ts|mts|typescript)$/
const promise = /console\.log\(.*\) \/\/ (.*)$/gm

/** Who else runs blocks, by the word on their fence. */
const runners = /** @type {const} */ (['framework', 'servers', 'console'])

/** @typedef {import('./markdown.mjs').Block} Block */
/** @typedef {(typeof runners)[number]} Runner */
/** @typedef {{ file: string, page: import('./markdown.mjs').Page }} Document */
/**
 * What is done with a block: nothing (`prose` is output, pictures and other texts), or how it is tried. `described` is not
 * tried, and the page says why; `fragment` is compiled only, and the page says why.
 * @typedef {'prose' | 'load' | 'refuse' | 'cases' | 'parse' | 'place' | 'run' | 'fragment' | 'print' | 'repository' | 'described' | Runner} Trial
 */

/** @returns {Promise<Document[]>} every page of the repository */
export async function readDocuments() {
  const files = await listMarkdown(root)
  return Promise.all(files.map(async (file) => ({ file, page: readPage(await readFile(file, 'utf8')) })))
}

/**
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
async function listMarkdown(folder) {
  const items = await readdir(folder, { withFileTypes: true })
  const found = await Promise.all(
    items.map(async (item) => {
      const path = join(folder, item.name)
      if (item.isDirectory()) return skippedFolders.has(item.name) ? [] : listMarkdown(path)
      return item.name.endsWith('.md') && !item.name.endsWith('.api.md') ? [path] : []
    }),
  )
  return found.flat()
}

/**
 * @param {Document} document
 * @param {{ line: number }} place in it
 */
export function placeOf({ file }, { line }) {
  return `${relative(root, file)}:${line}`
}

/**
 * @param {Block} block
 * @returns {Trial | undefined} undefined if nobody tries it and nothing says why
 */
export function trialOf({ language, words, text, before, after }) {
  const runner = runners.find((word) => words.includes(word))
  if (runner !== undefined) return runner
  const hasReason = /^<!-- not run: .+ -->$/.test(before)
  if (script.test(language) && fileOf({ words }) === undefined) {
    if (words.includes('no-run')) return hasReason && packageImport.test(text) ? 'fragment' : undefined
    if (packageImport.test(text)) return 'run'
  }
  if (hasReason) return 'described'
  switch (language) {
    case 'text':
    case 'md':
      return 'prose'
    case 'yaml':
    case 'yml':
      return trialOfYaml(words, firstLineOf(text))
    case 'json':
      return 'parse'
    case 'sh':
      if (after === '<!-- generated:output -->') return 'print'
      return commandsOf(text).every(isOfRepository) ? 'repository' : undefined
    default:
      return fileOf({ words }) === undefined ? undefined : 'place'
  }
}

/**
 * @param {readonly string[]} words
 * @param {string} firstLine
 * @returns {Trial | undefined}
 */
function trialOfYaml(words, firstLine) {
  if (words.includes('invalid')) return 'refuse'
  if (/^\s*- id:|^apiVersion:/.test(firstLine)) return 'load'
  return firstLine.startsWith('cases:') ? 'cases' : undefined
}

/** @param {string} text of YAML */
export function firstLineOf(text) {
  return text.split('\n').find((line) => line.trim() !== '' && !/^\s*(#|---)/.test(line)) ?? ''
}

/**
 * @param {string} text of a shell
 * @returns {string[]}
 */
function commandsOf(text) {
  return text
    .replaceAll('\\\n', ' ')
    .split(/\n|&&/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
}

/**
 * What continuous integration does anyway; {@link missingScripts} says whether it exists.
 * @param {string} command
 */
function isOfRepository(command) {
  return /^(npm (ci|test|run \S+)|node scripts\/\S+|npx (vitest|prettier)\b)/.test(command)
}

/**
 * @param {Block} block of commands of this repository
 * @param {{ scripts: Record<string, string>, hasFile: (path: string) => boolean }} repository
 * @returns {string[]} what it names that is not there
 */
export function missingScripts({ text }, { scripts, hasFile }) {
  return commandsOf(text).flatMap((command) => {
    const [, name] = /^npm run (?:--silent )?(\S+)/.exec(command) ?? []
    if (name !== undefined && scripts[name] === undefined) return [`npm run ${name}`]
    const [, file] = /^node (scripts\/\S+)/.exec(command) ?? []
    return file !== undefined && !hasFile(file) ? [file] : []
  })
}

/** @param {Pick<Block, 'words'>} block */
export function fileOf({ words }) {
  return words.find((word) => word.startsWith('file='))?.slice('file='.length)
}

/**
 * @param {readonly Block[]} blocks of a page
 * @param {Block} block one of them; `continues` on its fence puts the program before it in front of it
 * @returns {string}
 */
function programOf(blocks, block) {
  if (!block.words.includes('continues')) return block.text
  const previous = blocks
    .slice(0, blocks.indexOf(block))
    .findLast(({ language, words }) => script.test(language) && fileOf({ words }) === undefined)
  if (previous === undefined) throw new Error('there is no program that this one could continue')
  return `${programOf(blocks, previous)}\n${block.text}`
}

/**
 * Runs a program, or the commands, of a page in a new folder with the files of the page beside it.
 * @param {Document} document
 * @param {Block} block
 * @param {object} reader what the reader of the page has
 * @param {Record<string, string>} [reader.packages] installed, by name: their folders
 * @param {Record<string, string>} [reader.environment]
 * @returns {Promise<string>} what is wrong: it ended badly, or a comment promises a line that it did not print; empty if nothing is
 */
export async function tryBlock({ page }, block, { packages = {}, environment = {} }) {
  await mkdir(cacheFolder, { recursive: true })
  const folder = await mkdtemp(join(cacheFolder, 'page-'))
  try {
    for (const [name, source] of Object.entries(packages)) {
      const link = join(folder, 'node_modules', name)
      await mkdir(dirname(link), { recursive: true })
      await symlink(resolve(root, source), link)
    }
    for (const other of page.blocks) {
      const name = fileOf(other)
      if (name === undefined) continue
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), `${other.text}\n`)
    }
    const settings = {
      cwd: folder,
      timeoutMs: 150_000,
      environment: { NO_COLOR: '1', HOME: folder, ...environment },
    }
    if (block.language === 'sh') {
      const { ok, output } = await runCommand('sh', ['-ec', block.text], settings)
      return ok ? '' : output
    }
    const text = programOf(page.blocks, block)
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    })
    await writeFile(join(folder, 'program.mjs'), outputText)
    const { ok, stdout, output } = await runCommand(process.execPath, ['program.mjs'], settings)
    const missing = promisesOf({ text }).filter((line) => !stdout.includes(line))
    if (ok && missing.length === 0) return ''
    return [...missing.map((line) => `not printed: ${line}`), output].join('\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * What comments behind `console.log(…)` say that it prints.
 * @param {Pick<Block, 'text'>} block
 */
export function promisesOf({ text }) {
  return [...text.matchAll(promise)].map(([, line = '']) => line)
}
