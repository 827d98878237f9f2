/** What the tests were started with; every command that they type inherits it. */
export function environment(): NodeJS.ProcessEnv {
  return process.env;
}
