// What a revision keeps, and how long. It is written once, at the deploy: a changed memory config counts with the next deploy.
import type { MemoryConfig } from '@gantry/project/asset-config/memory-config.ts';
import { memoryOfAgent } from '../../assets/registry/references/memory-of-agent.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { KeptMemory } from './read-description.ts';

export interface RevisionMemory extends Pick<KeptMemory, 'kept_by_service' | 'needs_run'> {
  memory_config_id: string | null;
  memory_scope: MemoryConfig['scope'];
  /** Null: as long as the organisation says. */
  threads_kept_seconds: number | null;
  items_kept_seconds: number | null;
}

/** `said`: by the agent itself. Undefined in the record of a run that an earlier release began. */
export async function revisionMemory(
  db: Reader,
  { digest, said }: { digest: string; said: KeptMemory | undefined },
): Promise<RevisionMemory> {
  const pinned = await memoryOfAgent(db, digest);
  const ttl_seconds = pinned?.config.ttl_seconds;
  return {
    kept_by_service: said?.kept_by_service ?? false,
    needs_run: said?.needs_run ?? false,
    memory_config_id: pinned?.asset_id ?? null,
    memory_scope: pinned?.config.scope ?? 'user',
    // The governed config counts before a file of the project.
    threads_kept_seconds: ttl_seconds ?? said?.threads_kept_seconds ?? null,
    items_kept_seconds: ttl_seconds ?? null,
  };
}

/** What the memory config asks for in vain: the agent keeps its threads and items by itself. */
export async function memoryNotices(
  db: Reader,
  { digest, said }: { digest: string; said: KeptMemory },
): Promise<string[]> {
  const pinned = await memoryOfAgent(db, digest);
  if (pinned === undefined || said.kept_by_service || pinned.config.ttl_seconds === undefined) return [];
  return [`\`ttl_seconds\` of ${pinned.ref} ends no threads: the service keeps none of this agent`];
}
