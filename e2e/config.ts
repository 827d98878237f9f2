/** The environment of the tests, inherited by every command that they type, without the test runner's own variables. */
export function environment(): NodeJS.ProcessEnv {
  const { BASE_URL: _, NODE_ENV: _mode, ...rest } = process.env;
  return rest;
}
