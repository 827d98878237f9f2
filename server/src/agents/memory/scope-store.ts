// Who shares the items of an agent, by the memory config of its revision.
import type { MemoryConfig } from '@gantry/project/asset-config/memory-config.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface Scope {
  agent_id: string;
  memory_scope: MemoryConfig['scope'];
  /** Null: agent.yaml names none. */
  memory_config_id: string | null;
  /** The present team of the agent. */
  team_id: string;
}

const columns = sql`v.agent_id, v.memory_scope, v.memory_config_id, a.team_id`;

export const scopeOf = async (db: Reader, revision_id: string) =>
  await db.one<Scope>(sql`
    select ${columns} from revision v join asset a on a.id = v.agent_id where v.id = ${revision_id}`);

/** Of the revision that serves. Undefined for an agent that is not deployed. */
export const servingScope = async (db: Reader, agent_id: string) =>
  await db.one<Scope>(sql`
    select ${columns} from route r join revision v on v.id = r.revision_id join asset a on a.id = v.agent_id
    where r.is_default and r.agent_id = ${agent_id}`);
