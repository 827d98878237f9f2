import { readConfig, type Config } from '../config.ts';

/** A PostgreSQL server of your own for the tests; they make and drop databases on it. */
export function testDatabaseUrl(): string | undefined {
  return process.env.TEST_DATABASE_URL;
}

/** The settings of this machine. vitest puts a BASE_URL of its own, `/`, into the environment. */
export function testConfig(): Config {
  const { BASE_URL: _, ...environment } = process.env;
  return readConfig(environment);
}

/** The environment of the run, without what the test runner puts into it under a name that is a setting of ours. */
export function testEnvironment(): NodeJS.ProcessEnv {
  const { BASE_URL: _, ...environment } = process.env;
  return environment;
}
