import { defineConfig } from 'vitest/config';

// `npm run test:tools` names this file. No other run has these tests, because they install and start the programs of many others.
export default defineConfig({
  test: {
    include: ['e2e/tools/*.test.ts'],
    pool: 'forks',
    passWithNoTests: false,
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
});
