import { defineConfig } from 'vitest/config'
import { createCountReporter } from './scripts/count-reporter.mjs'
import { createFrameworkReporter } from './scripts/framework-reporter.mjs'

export default defineConfig({
  test: {
    reporters: ['default', createFrameworkReporter(), createCountReporter()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/*.test.mjs'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'suite',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: ['packages/console/test/browser/**'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['packages/console/test/browser/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // One browser at a time.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'frameworks',
          include: ['frameworks/*.test.mjs', 'frameworks/heavy/*.test.mjs'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'services',
          include: ['services/*.test.mjs'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
