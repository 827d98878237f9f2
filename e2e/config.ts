/** What the tests were started with, which every command that they type inherits; without what the test runner puts in under a name of ours. */
export function environment(): NodeJS.ProcessEnv {
  const { BASE_URL: _, NODE_ENV: _mode, ...rest } = process.env;
  return rest;
}
