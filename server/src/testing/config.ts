/** A PostgreSQL server of your own for the tests; they make and drop databases on it. */
export function testDatabaseUrl(): string | undefined {
  return process.env.TEST_DATABASE_URL;
}
