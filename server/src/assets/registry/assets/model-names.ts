// The names under which a team calls models. Promises: no name or alias means two models of a team; only an admin of the team changes what a
// name means that already leads to a model.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Config } from '../read-config.ts';
import * as store from '../store.ts';

interface Named {
  /** Undefined for a new model. */
  id?: string;
  name: string;
  team: { id: string; name: string };
  config: Config;
}

/** Checks a new model, config or team. Names that the model has already stay. Throws `invalid`, and `forbidden` for others than admins. */
export async function requireFreeNames(
  db: Reader,
  user: SignedInCaller,
  { id, name, team, config }: Named,
): Promise<void> {
  const aliases = Array.isArray(config['aliases']) ? config['aliases'].map(String) : [];
  const served = String(config['model']);
  const rows = await store.modelsWithNames(db, { team_id: team.id, names: [name, ...aliases, served] });
  const before = rows.find((row) => row.id === id && row.team_id === team.id);
  const added = (one: string) => before === undefined || ![before.name, before.served, ...before.aliases].includes(one);
  const names = [name, ...aliases].filter(added);
  for (const other of rows.filter((row) => row.id !== id)) {
    const isOwn = other.team_id === team.id;
    const taken = names.find((one) => isOwn && [other.name, ...other.aliases].includes(one));
    if (taken !== undefined) throw isTaken(taken, other.name, { name, team });
    // A new model is the youngest, and the oldest one has the name at the provider.
    const isOlder = id !== undefined && isOwn && other.served === served && added(served);
    const leads = (one: string) => one === (isOwn ? other.served : other.name);
    if (isOlder || names.some(leads) || (!isOwn && added(served) && leads(served)))
      authorize(user, 'model.change', { kind: 'team', ...team });
  }
}

function isTaken(taken: string, other: string, { name, team }: Pick<Named, 'name' | 'team'>): Problem {
  const pointer = taken === name ? '/name' : '/config/aliases';
  return new Problem('invalid', {
    detail: `team:${team.name} calls models/${other} by the name ${taken}.`,
    hint: 'Choose another name, or take the alias from that model first.',
    errors: [{ pointer, message: `${taken} leads to models/${other}` }],
  });
}
