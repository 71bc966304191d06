// @ts-check
// Proves the Markdown of this repository against the built package: YAML loads (or is refused where the
// page says so), code compiles and runs, links lead somewhere, every diagnostic code has its page. A block that nobody
// tries is a fault, unless the page says why.
//
// Words after a fence: `yaml invalid` must be refused; `file=name` puts the block beside the page's
// programs under that name; `no-run` compiles a program without running it, for a reason given in a comment above it;
// `framework`, `servers` and `console` are run by the tests that have these.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileOf, firstLineOf, missingScripts, placeOf, readDocuments, trialOf } from './documentation.mjs'
import { runCommand, runTool } from './run-command.mjs'
import { cacheFolder, root } from './workspace.mjs'

const entry = join(root, 'packages/edictum/dist/index.js')
const errorPages = join(root, 'docs/errors')
const workFolder = join(cacheFolder, 'docs')

/** @typedef {import('./markdown.mjs').Block} Block */
/** @typedef {import('./documentation.mjs').Document} Document */
/** @typedef {{ place: string, file: string, folder: string, isRun: boolean }} Program */

/** @type {string[]} */
const faults = []
const counts = { pages: 0, loaded: 0, refused: 0, programs: 0, 'run elsewhere': 0, links: 0, codes: 0 }

const documents = await readDocuments()
counts.pages = documents.length

checkLinks()
checkTrials()
if (existsSync(entry)) {
  const edictum = await import(pathToFileURL(entry).href)
  const { loadCases } = await import(pathToFileURL(join(dirname(entry), 'testing/index.js')).href)
  checkErrorPages(edictum)
  checkContracts({ ...edictum, loadCases })
  await checkPrograms()
} else {
  faults.push('packages/edictum/dist/index.js is not built, so no example was tried; run npm run build')
}

for (const fault of faults) console.log(fault)
console.log(
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', '),
)
if (faults.length > 0) process.exitCode = 1

/** Everything is tried, or says why not; what is simple enough is tried here. */
function checkTrials() {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const hasFile = (/** @type {string} */ path) => existsSync(join(root, path))
  for (const document of documents) {
    for (const block of document.page.blocks) {
      const trial = trialOf(block)
      const place = placeOf(document, block)
      switch (trial) {
        case undefined:
          faults.push(
            `${place}: nobody tries this block; say \`<!-- not run: why -->\` above it, or make it run`,
          )
          break
        case 'place':
          checkUse(document, block)
          break
        case 'parse':
          checkJson(place, block)
          break
        case 'repository':
          for (const missing of missingScripts(block, { scripts, hasFile }))
            faults.push(`${place}: there is no ${missing}`)
          break
        case 'framework':
        case 'servers':
        case 'console':
          counts['run elsewhere'] += 1
          break
        default:
      }
    }
  }
}

/**
 * A file is tried by what uses it.
 * @param {Document} document
 * @param {Block} block
 */
function checkUse(document, block) {
  const name = fileOf(block) ?? ''
  const isUsed = document.page.blocks.some((other) => other !== block && other.text.includes(name))
  if (!isUsed) faults.push(`${placeOf(document, block)}: no program of the page uses ${name}`)
}

/**
 * @param {string} place
 * @param {Block} block
 */
function checkJson(place, block) {
  const documents = fileOf(block)?.endsWith('.jsonl') === true ? block.text.split('\n') : [block.text]
  const error = catchError(() => documents.map((text) => JSON.parse(text)))
  if (error !== undefined) faults.push(`${place}: ${messageOf(error)}`)
}

function checkLinks() {
  const pages = new Map(documents.map(({ file, page }) => [file, page]))
  for (const document of documents) {
    for (const { target, line } of document.page.links) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue
      counts.links += 1
      const [path = '', anchor] = decodeURIComponent(target).split('#')
      const file = path === '' ? document.file : resolve(dirname(document.file), path)
      const isInside = !relative(root, file).startsWith('..')
      if (!isInside || !existsSync(file)) {
        faults.push(`${placeOf(document, { line })}: ${target} does not exist in this repository`)
      } else if (anchor !== undefined && pages.get(file)?.anchors.has(anchor) === false) {
        faults.push(`${placeOf(document, { line })}: ${path || 'this page'} has no heading for #${anchor}`)
      }
    }
  }
}

/** @param {{ diagnosticCodes?: Iterable<string> }} edictum */
function checkErrorPages({ diagnosticCodes }) {
  if (diagnosticCodes === undefined) {
    faults.push('the package exports no `diagnosticCodes`, so the error pages cannot be compared')
    return
  }
  const codes = new Set(diagnosticCodes)
  counts.codes = codes.size
  const files = existsSync(errorPages) ? readdirSync(errorPages) : []
  const pages = files.filter((name) => name.endsWith('.md') && name !== 'README.md')
  for (const code of codes) {
    if (!pages.includes(`${code}.md`)) faults.push(`docs/errors/${code}.md is missing`)
  }
  for (const page of pages) {
    if (!codes.has(basename(page, '.md')))
      faults.push(`docs/errors/${page} explains a code that does not exist`)
  }
}

/**
 * @param {{ loadBundleString: (text: string) => unknown, loadCases: (text: string) => unknown }} edictum
 */
function checkContracts({ loadBundleString, loadCases }) {
  for (const document of documents) {
    for (const block of document.page.blocks) {
      const trial = trialOf(block)
      if (trial !== 'load' && trial !== 'refuse' && trial !== 'cases') continue
      const place = placeOf(document, block)
      const error = catchError(() =>
        trial === 'cases' ? loadCases(block.text) : loadBundleString(completeBundle(block)),
      )
      if (trial === 'refuse') checkRefusal({ document, place, error })
      else if (error === undefined) counts.loaded += 1
      else faults.push(`${place}: does not load\n${indent(messageOf(error))}`)
    }
  }
}

/**
 * A whole bundle is taken as it is; a list of contracts gets the smallest bundle around it.
 * @param {Block} block
 */
function completeBundle({ text }) {
  if (!/^\s*- id:/.test(firstLineOf(text))) return text
  return [
    'apiVersion: edictum/v1',
    'kind: ContractBundle',
    'metadata:',
    '  name: documentation',
    'defaults:',
    '  mode: enforce',
    'contracts:',
    indent(text),
    '',
  ].join('\n')
}

/** @param {{ document: Document, place: string, error: unknown }} attempt */
function checkRefusal({ document, place, error }) {
  if (error === undefined) {
    faults.push(`${place}: is marked invalid, yet it loads`)
    return
  }
  const diagnostics = /** @type {{ diagnostics?: { code: string }[] }} */ (error).diagnostics
  if (diagnostics === undefined) {
    faults.push(`${place}: is refused by an accident, not by a diagnostic\n${indent(messageOf(error))}`)
    return
  }
  const code = basename(document.file, '.md')
  const isOnErrorPage = dirname(document.file) === errorPages && code !== 'README'
  if (isOnErrorPage && !diagnostics.some((diagnostic) => diagnostic.code === code)) {
    faults.push(`${place}: is refused with ${diagnostics.map((found) => found.code).join(', ')}, not ${code}`)
    return
  }
  counts.refused += 1
}

async function checkPrograms() {
  rmSync(workFolder, { recursive: true, force: true })
  mkdirSync(workFolder, { recursive: true })
  const programs = documents.flatMap(writePrograms)
  counts.programs = programs.length
  const typed = programs.filter(({ file }) => file.endsWith('.mts'))
  if (typed.length > 0) await compilePrograms(typed)
  const waiting = programs.filter(({ isRun }) => isRun)
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runProgram(next)
  })
  await Promise.all(workers)
  if (faults.length === 0) rmSync(workFolder, { recursive: true, force: true })
}

/**
 * Each page gets a folder; blank lines in front keep the line numbers of the page in every message.
 * @param {Document} document
 * @param {number} position
 * @returns {Program[]}
 */
function writePrograms(document, position) {
  const folder = join(workFolder, `page-${position}`)
  /** @type {Program[]} */
  const programs = []
  for (const block of document.page.blocks) {
    const { language, text, line } = block
    const name = fileOf(block)
    const trial = trialOf(block)
    const isTyped = /^(ts|mts|typescript)$/.test(language)
    // What runs elsewhere is compiled here, where the compiler knows the packages of the workspace.
    const isProgram =
      trial === 'run' || trial === 'fragment' || (isTyped && (trial === 'servers' || trial === 'console'))
    if (name === undefined && !isProgram) continue
    mkdirSync(folder, { recursive: true })
    if (name !== undefined) {
      const file = join(folder, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${text}\n`)
    }
    if (!isProgram) continue
    const file = join(folder, `line-${line}.${isTyped ? 'mts' : 'mjs'}`)
    writeFileSync(file, '\n'.repeat(line - 1) + text + '\n')
    programs.push({ place: placeOf(document, block), file, folder, isRun: trial === 'run' })
  }
  return programs
}

/** @param {readonly Program[]} programs */
async function compilePrograms(programs) {
  const config = {
    compilerOptions: {
      strict: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      skipLibCheck: true,
    },
    files: programs.map(({ file }) => relative(workFolder, file)),
  }
  writeFileSync(join(workFolder, 'tsconfig.json'), JSON.stringify(config))
  const result = await runTool('tsc', ['-p', '.', '--pretty', 'false'], { cwd: workFolder })
  if (result.ok) return
  const message = result.output.replaceAll(
    /^(page-\d+\/line-\d+\.mts)\((\d+),\d+\)/gm,
    (whole, file, line) => {
      const program = programs.find((candidate) => candidate.file === join(workFolder, file))
      return program === undefined ? whole : `${program.place.replace(/:\d+$/, '')}:${line}`
    },
  )
  faults.push(message.trimEnd())
}

/** @param {Program} program */
async function runProgram({ place, file, folder }) {
  const compiled = file.replace(/\.mts$/, '.mjs')
  if (!existsSync(compiled) || !statSync(compiled).isFile()) {
    faults.push(`${place}: was not compiled`)
    return
  }
  const result = await runCommand(process.execPath, [compiled], {
    cwd: folder,
    timeoutMs: 30_000,
    environment: { NO_COLOR: '1' },
  })
  if (!result.ok) faults.push(`${place}: ended badly\n${indent(result.output.trimEnd())}`)
}

/**
 * @param {() => unknown} action
 * @returns {unknown} what it threw, or undefined
 */
function catchError(action) {
  try {
    action()
    return undefined
  } catch (error) {
    return error
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}

/** @param {string} text */
function indent(text) {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
