import type { FindNamedUsers } from '../../assets/registry/references/in-use.ts';
import { findModelUsers } from './model-users.ts';
import * as placementStore from './placement-store.ts';
import * as resourceStore from './resource-store.ts';

/** Who calls a model by a name, or has a revision on a target. */
export const findNamedUsers: FindNamedUsers = async (db, { kind, ...named }) => {
  if (kind === 'model') return await findModelUsers(db, named);
  const placed = (await placementStore.placedAgents(db)).filter(({ target }) => target === named.name);
  const left = await resourceStore.openResources(db, named.name);
  return {
    asset_ids: placed.map(({ agent_id }) => agent_id),
    is_required: false,
    outside: left.filter(({ revision_id }) => revision_id !== null).map(({ kind: what, name }) => `${what} ${name}`),
  };
};
