import { defineConfig } from 'vitest/config';

// Two at a time: a server test file brings a database, an end-to-end file brings containers, and the smallest machine has two cores.
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      {
        test: {
          name: 'parts',
          include: ['contract/**/*.test.ts', 'reference/**/*.test.ts', 'cli/**/*.test.ts', 'setup/**/*.test.js'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          globalSetup: ['server/src/testing/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
