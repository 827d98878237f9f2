import type { Rule } from './roles.ts';

/** A rule's demand on the caller, in words. */
export function needs(rule: Rule): string {
  switch (rule.on) {
    case 'anyone':
      return 'nothing';
    case 'signed_in':
      return rule.by === 'person' ? 'a sign-in as a person' : 'a sign-in';
    case 'org':
      return `platform role ${rule.role}${or(rule)}`;
    case 'team':
      return `role ${rule.role} in the team${rule.by === 'person' ? ', as a person' : ''}${or(rule)}`;
    case 'asset':
      return `\`${rule.action}\` on the asset, and role ${rule.role} in its team`;
    case 'agent':
      return "an agent's key, with the token of an open run";
    case 'key':
      return 'a gateway key';
    case 'system':
      return 'the service itself';
  }
}

const or = (rule: Extract<Rule, { on: 'org' | 'team' }>): string =>
  rule.or === undefined ? '' : `, or the right \`${rule.or}\``;
