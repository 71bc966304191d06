// @ts-check
// Ends a run of the frameworks' tests with the table of what each can do, and keeps it for scripts/framework-table.mjs.

import { mkdirSync, writeFileSync } from 'node:fs'
import { installedFramework, lastRun, renderPlainTable } from './framework-table.mjs'
import { cacheFolder } from './workspace.mjs'

/** @returns {import('vitest/reporters').Reporter} */
export function createFrameworkReporter() {
  return {
    onTestRunEnd(modules) {
      /** @type {Map<string, import('./framework-table.mjs').FrameworkResult>} */
      const results = new Map()
      for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
        const { framework } = /** @type {any} */ (test.meta())
        if (framework === undefined) continue
        const { package: folder, name, ...said } = framework
        const total = Object.keys(said.limits).length
        const node = process.versions.node
        const result = results.get(name) ?? {
          name,
          ...said,
          ...installedFramework(folder),
          node,
          passed: 0,
          total,
        }
        result.total += 1
        if (test.result().state === 'passed') result.passed += 1
        results.set(name, result)
      }
      if (results.size === 0) return
      const rows = [...results.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
      mkdirSync(cacheFolder, { recursive: true })
      writeFileSync(lastRun, `${JSON.stringify(rows, null, 2)}\n`)
      process.stdout.write(`\n${renderPlainTable(rows)}\n`)
    },
  }
}
