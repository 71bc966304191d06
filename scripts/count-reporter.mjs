// @ts-check
// Ends a vitest run with the line `N passed, N failed`, which scripts/test.mjs adds up.

import { formatCount } from './test-count.mjs'

/** @returns {import('vitest/reporters').Reporter} */
export function createCountReporter() {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      let passed = 0
      let failed = unhandledErrors.length
      for (const module of modules) {
        // A file or a suite that cannot be loaded has no failing test, yet nothing in it was proven.
        failed += module.errors().length
        for (const suite of module.children.allSuites()) failed += suite.errors().length
        for (const test of module.children.allTests()) {
          const { state } = test.result()
          if (state === 'passed') passed += 1
          else if (state !== 'skipped') failed += 1
        }
      }
      process.stdout.write(`\n${formatCount({ passed, failed })}\n`)
    },
  }
}
