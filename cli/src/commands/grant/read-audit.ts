import { defineCommand } from '../../command.ts';
import { giveGrant, grantFlags } from '../../principals/reading-grant.ts';

export const command = defineCommand({
  words: 'grant read-audit',
  summary: "Let somebody read a team's entries of the audit log; with --org all of it, with export and verify",
  needs: 'grant.change',
  examples: [
    'svc grant read-audit --to aud@example.com --org',
    'svc grant read-audit --to group:reviewers --team ml --expires-in 30d',
  ],
  arguments: {},
  flags: grantFlags,
  run: async (given, session) => await giveGrant(session, 'read_audit', given),
});
