// @ts-check
// Compares the public surface of every door with its report in api/, so that no change of it goes unseen.
// `--accept` writes the reports.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { cacheFolder, listPackages, root } from './workspace.mjs'

const isAccepting = process.argv.includes('--accept')
const reportFolder = join(root, 'api')
const temporaryFolder = join(cacheFolder, 'api')
mkdirSync(reportFolder, { recursive: true })
mkdirSync(temporaryFolder, { recursive: true })

const doors = listPackages()
  .filter(({ isPublished }) => isPublished)
  .flatMap(({ folder, doors }) => doors.map((door) => ({ folder, ...door })))
  .filter(({ types }) => types !== undefined)

/** @type {string[]} */
const faults = []
const expectedReports = new Set()

for (const { folder, specifier, types } of doors) {
  // A file name for `@scope/name/sub/path` without separators.
  const reportName = specifier.replace('@', '').replaceAll('/', '-')
  const entry = join(folder, String(types))
  expectedReports.add(`${reportName}.api.md`)
  if (!existsSync(entry)) {
    faults.push(`${specifier}: ${types} is not built; run npm run build`)
    continue
  }
  const fault = compareReport({ folder, entry, reportName })
  if (fault !== undefined) faults.push(`${specifier}: ${fault}`)
}

for (const file of readdirSync(reportFolder).filter((name) => name.endsWith('.api.md'))) {
  if (expectedReports.has(file)) continue
  if (isAccepting) rmSync(join(reportFolder, file))
  else faults.push(`api/${file} belongs to no door`)
}

if (doors.length === 0) faults.push('no published package has a door with types')
for (const fault of faults) console.log(fault)
if (faults.length > 0) {
  console.log('read the difference; if it is meant, run: node scripts/api-report.mjs --accept')
  process.exitCode = 1
}

/**
 * @param {{ folder: string, entry: string, reportName: string }} door
 * @returns {string | undefined} what is wrong, if anything
 */
function compareReport({ folder, entry, reportName }) {
  const silent = { logLevel: ExtractorLogLevel.None }
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: entry,
      newlineKind: 'lf',
      compiler: { tsconfigFilePath: join(folder, 'tsconfig.json') },
      apiReport: {
        enabled: true,
        reportFileName: reportName,
        reportFolder,
        reportTempFolder: temporaryFolder,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: silent,
          'ae-forgotten-export': { ...silent, addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: silent },
      },
    },
  })
  /** @type {string[]} */
  const complaints = []
  const result = Extractor.invoke(config, {
    localBuild: isAccepting,
    printApiReportDiff: !isAccepting,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error || message.messageId === 'console-api-report-diff') {
        complaints.push(message.text)
      }
      message.handled = true
    },
  })
  if (result.errorCount > 0) return complaints.join('\n')
  if (!existsSync(join(reportFolder, `${reportName}.api.md`))) return `api/${reportName}.api.md is missing`
  if (result.apiReportChanged && !isAccepting) return `the public surface changed\n${complaints.join('\n')}`
  return undefined
}
