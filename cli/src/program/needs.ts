import { operations, type Rule } from '@gantry/contract/roles.ts';
import type { Command } from '../command.ts';

/** The permission of a command, in the words of help. */
export function describeNeeds(needs: Command['needs']): string {
  if (needs === 'nothing') return 'nothing';
  if (needs === 'this machine') return 'an account on the machine that runs the service';
  const rule: Rule = operations[needs];
  switch (rule.on) {
    case 'anyone':
      return 'nothing';
    case 'signed_in':
      return 'to be signed in';
    case 'org':
      return `platform role ${rule.role}${or(rule)}`;
    case 'team':
      return `role ${rule.role} in the team${or(rule)}`;
    case 'asset':
      return `role ${rule.role} in the asset's team and "${rule.action}" on the asset`;
    case 'agent':
      return 'a run of an agent';
    case 'key':
      return 'a gateway key';
    case 'system':
      return 'an account on the machine that runs the service';
  }
}

const or = (rule: Extract<Rule, { on: 'org' | 'team' }>): string =>
  rule.or === undefined ? '' : ` or the right "${rule.or}"`;
