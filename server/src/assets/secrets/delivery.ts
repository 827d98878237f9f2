// The secrets of a deploy. A name means the secret of the agent itself, else the one of its team.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { errorCode, type Reader } from '../../ground/database/database.ts';
import type { Stores } from './stores/index.ts';
import * as store from './store.ts';

export interface AgentContent {
  agent_id: string;
  config: AgentConfig;
}

/** Throws `secret_missing` with each name that is not set. `held`: none of them is removed before the transaction ends. */
export async function requireSecrets(
  db: Reader,
  { agent_id, config }: AgentContent,
  { held = false } = {},
): Promise<store.FoundSecret[]> {
  const wanted = wantedBy({ agent_id, config });
  const found = await store.inReach(db, wanted, { held });
  const missing = wanted.names.filter((name) => !found.some((one) => one.name === name));
  const [first] = missing;
  if (first === undefined) return found;
  const errors = missing.map((name) => ({
    pointer: `/deploy/secrets/${wanted.names.indexOf(name)}`,
    message: `${name} is set neither for agents/${config.name} nor for team:${config.team}`,
  }));
  throw new Problem('secret_missing', {
    detail: `${errors.map(({ message }) => message).join('. ')}.`,
    hint: `Set it: svc secret set ${first} --agent ${config.name}, or as a team admin: svc secret set ${first} --team ${config.team}`,
    errors,
  });
}

/** Today's values, by name. Throws `secret_missing`. */
export async function readSecrets(
  { db, stores }: { db: Reader; stores: Stores },
  content: AgentContent,
): Promise<Record<string, string>> {
  return await valuesOf({ db, stores }, await requireSecrets(db, content));
}

/** The same with undefined for a missing one. */
export async function readPresentSecrets(
  { db, stores }: { db: Reader; stores: Stores },
  content: AgentContent,
): Promise<Record<string, string | undefined>> {
  const wanted = wantedBy(content);
  const values = await valuesOf({ db, stores }, await store.inReach(db, wanted));
  return Object.fromEntries(wanted.names.map((name) => [name, values[name]]));
}

/** The names that mean a secret of the team. */
export async function teamSecrets(db: Reader, content: AgentContent): Promise<string[]> {
  const found = await store.inReach(db, wantedBy(content));
  return found.flatMap(({ name, team }) => (team === null ? [] : [name]));
}

export type ReadOfTeam = (
  db: Reader,
  team_id: string,
  names: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

/** The values of a team's secrets, for the service itself. An unreadable value is reported, and counts as unset. */
export function teamSecretReader({
  stores,
  onError,
}: {
  stores: Stores;
  onError: (error: unknown) => void;
}): ReadOfTeam {
  return async (db, team_id, names) => {
    if (names.length === 0) return new Map();
    const found = (await store.secretsIn(db, { team_id })).filter(({ name }) => names.includes(name));
    const read = found.map(async (one): Promise<[string, string][]> => {
      try {
        return Object.entries(await valuesOf({ db, stores }, [one]));
      } catch (error) {
        if (errorCode(error) !== undefined) throw error; // of the database
        onError(error);
        return [];
      }
    });
    return new Map((await Promise.all(read)).flat());
  };
}

function wantedBy({ agent_id, config }: AgentContent): store.Wanted {
  return { agent_id, team: config.team, names: config.deploy?.secrets ?? [] };
}

async function valuesOf(
  { db, stores }: { db: Reader; stores: Stores },
  found: readonly Pick<store.FoundSecret, 'id' | 'name' | 'store'>[],
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [name, rows] of Map.groupBy(found, (row) => row.store)) {
    const read = await stores[name].read(
      db,
      rows.map(({ id }) => id),
    );
    for (const row of rows) values[row.name] = read.get(row.id) ?? '';
  }
  return values;
}
