import { readConfig, type Config } from '../ground/config/config.ts';

/** A PostgreSQL server for the tests, which create and drop databases on it. */
export function testDatabaseUrl(): string | undefined {
  return process.env.TEST_DATABASE_URL;
}

/** The settings of this machine, without BASE_URL: vitest sets it to `/`. A replaced container ends at once, unless a test is about it. */
export function testConfig(): Config {
  const { BASE_URL: _, ...environment } = process.env;
  return readConfig({ WARM_SECONDS: '0', ...environment });
}
/** The usual size of a test, or its long variant under `npm run soak`. */
export function inSoak<T>(usual: T, soak: T): T {
  return process.env['SOAK'] === '1' ? soak : usual;
}

/** How long a test under traffic runs: SOAK_SECONDS, ten minutes by default. */
export function trafficSeconds(): number {
  return Number(process.env['SOAK_SECONDS'] ?? 600);
}
