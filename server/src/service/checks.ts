// The checks that need only the machine and the database.
import { app_role, powers } from '../ground/database/app-role.ts';
import type { Database } from '../ground/database/database.ts';
import { pgvector, type Pgvector } from '../ground/database/pgvector.ts';
import { isExposed, reachOf } from '../ground/database/reach.ts';
import { sql } from '../ground/database/sql.ts';
import { ok, problem, warning, type Check } from './doctor.ts';
import { freeBytes } from './free-bytes.ts';

const gigabyte = 1024 ** 3;

export function machineChecks(db: Database, data_dir: string, version: string): Check[] {
  return [
    {
      part: 'database',
      look: async () => {
        const row = await db.one<{ version: string }>(sql`select current_setting('server_version') as version`);
        const answers = `PostgreSQL ${row?.version ?? 'of unknown version'} answers`;
        const { role, excess } = await powers(db);
        if (excess.length > 0)
          return warning(
            `${answers}; the service connects as ${role}, which ${excess.join(', ')}: the service could rewrite its own audit log`,
            `Give the owner to MIGRATION_DATABASE_URL, and let DATABASE_URL connect as ${app_role} (docs/guide/service.md).`,
          );
        if (isExposed(await reachOf(db)))
          return warning(
            `${answers}, over a network and without TLS: others on the network can read and change the traffic`,
            'Add sslmode=verify-full to DATABASE_URL, and sslrootcert=<file> for your own certificate authority.',
          );
        return ok(`${answers}; the service can append to the audit log but not change it`);
      },
    },
    { part: 'vectors', look: async () => searchedBy(await pgvector(db)) },
    {
      part: 'clock',
      look: async () => {
        const before = Date.now();
        const row = await db.one<{ at: string }>(sql`select clock_timestamp() as at`);
        const apart_ms = Math.abs(Date.parse(row?.at ?? '') - (before + Date.now()) / 2);
        if (apart_ms > 5000)
          return warning(
            `the clocks of server and database differ by ${Math.round(apart_ms / 1000)} s`,
            'Set both clocks by the same time server (NTP).',
          );
        return ok('the clocks of server and database agree');
      },
    },
    {
      part: 'disk',
      look: async () => {
        const free = (await freeBytes(data_dir)) / gigabyte;
        if (free < 1)
          return problem(
            `${free.toFixed(1)} GB free at ${data_dir}`,
            'Free some room: images need about 1 GB for a crewai agent.',
          );
        if (free < 5)
          return warning(
            `${free.toFixed(1)} GB free at ${data_dir}`,
            'Free some room: images need about 1 GB for a crewai agent.',
          );
        return ok(`${Math.floor(free)} GB free at ${data_dir}`);
      },
    },
    { part: 'versions', look: async () => ok(`Gantry ${version}, Node ${process.versions.node}`) },
  ];
}

function searchedBy({ is_available, version, is_usable }: Pgvector): ReturnType<typeof ok> {
  const inThread = 'so the service itself searches knowledge by meaning, up to 20,000 chunks a knowledge base';
  if (is_usable) return ok(`pgvector ${version} searches knowledge by meaning`);
  if (version !== null)
    return warning(
      `the schema of pgvector ${version} is outside the search path, ${inThread}`,
      'alter extension vector set schema public',
    );
  if (is_available)
    return warning(`the database has pgvector, and no extension of it, ${inThread}`, 'create extension vector');
  return ok(`the database has no pgvector, ${inThread}`);
}
