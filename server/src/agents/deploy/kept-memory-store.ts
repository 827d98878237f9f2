import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { KeptMemory } from './read-description.ts';

/** Of the revision that serves. Undefined for an agent that is not deployed. */
export const keepsThreads = async (db: Reader, agent_id: string) =>
  (
    await db.one<{ kept_by_service: boolean }>(sql`
      select v.kept_by_service from route r join revision v on v.id = r.revision_id where r.is_default and r.agent_id = ${agent_id}`)
  )?.kept_by_service;

/** Undefined before the revision is registered. */
export const keptMemory = async (db: Reader, revision_id: string) =>
  await db.one<Pick<KeptMemory, 'kept_by_service' | 'needs_run'>>(
    sql`select kept_by_service, needs_run from revision where id = ${revision_id}`,
  );
