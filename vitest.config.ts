import { defineConfig } from 'vitest/config'
import { createCountReporter } from './scripts/count-reporter.mjs'
import { createFrameworkReporter } from './scripts/framework-reporter.mjs'

/**
 * For tests with real servers, processes that are killed, and browsers, on machines of any speed. The report names what needed
 * it. Never for tests of pure code: there a test that fails once has found something.
 */
const oneMoreTry = 1

/**
 * Tests of pure code, and of code that only computes, share the processors. Those with servers, killed processes and browsers
 * come after them, one file at a time: they are about what happens in time, and should have the machine to themselves.
 */
const sideBySide = { maxWorkers: 2, sequence: { groupOrder: 0 } }
const oneByOne = { maxWorkers: 1, sequence: { groupOrder: 1 } }

/** What is waited for comes when it comes; only what never comes is a failure. */
const patience = { poll: { timeout: 30_000 } }

export default defineConfig({
  test: {
    reporters: ['default', createFrameworkReporter(), createCountReporter()],
    projects: [
      {
        test: {
          name: 'unit',
          ...sideBySide,
          include: ['packages/*/src/**/*.test.ts', 'scripts/*.test.mjs'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'suite',
          ...sideBySide,
          include: ['packages/edictum/test/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          expect: patience,
        },
      },
      {
        test: {
          name: 'console',
          ...oneByOne,
          include: ['packages/console/test/**/*.test.ts'],
          exclude: ['packages/console/test/browser/**'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          expect: patience,
          retry: oneMoreTry,
        },
      },
      {
        test: {
          name: 'browser',
          ...oneByOne,
          include: ['packages/console/test/browser/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          expect: patience,
          retry: oneMoreTry,
        },
      },
      {
        test: {
          name: 'frameworks',
          ...sideBySide,
          include: ['frameworks/*.test.mjs', 'frameworks/heavy/*.test.mjs'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: patience,
        },
      },
      {
        test: {
          name: 'services',
          ...oneByOne,
          include: ['services/*.test.mjs'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: patience,
          retry: oneMoreTry,
        },
      },
    ],
  },
})
