import { defineCommand } from '../../command.ts';
import { giveGrant, grantFlags } from '../../principals/reading-grant.ts';

export const command = defineCommand({
  words: 'grant read-costs',
  summary: 'Let somebody read all costs and budgets of a team or of the organisation, and nothing else',
  needs: 'grant.change',
  examples: [
    'svc grant read-costs --to fin@example.com --team ml',
    'svc grant read-costs --to group:finance --org --expires-in 90d',
  ],
  arguments: {},
  flags: grantFlags,
  run: async (given, session) => await giveGrant(session, 'read_costs', given),
});
