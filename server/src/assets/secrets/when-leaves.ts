import type { WhenLeaves } from '../../governance/access/when-leaves.ts';
import { removeSecretsOf, secretsOfTeam } from './remove.ts';
import type { Stores } from './stores/index.ts';

export const whenLeaves = (stores: Stores): WhenLeaves => ({
  feature: 'secrets',
  agent: async (tx, { id }) => {
    await removeSecretsOf(tx, stores, id);
    return {};
  },
  heldByTeam: secretsOfTeam,
});
