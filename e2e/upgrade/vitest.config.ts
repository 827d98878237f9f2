import { defineConfig } from 'vitest/config';

// `npm run test:upgrade` names this file. No other run has these tests, because they install an earlier release.
export default defineConfig({
  test: {
    include: ['e2e/upgrade/*.test.ts'],
    pool: 'forks',
    passWithNoTests: false,
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
});
