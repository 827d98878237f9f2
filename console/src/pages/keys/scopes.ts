import type { KeyScope } from '@gantry/contract/models/keys.ts';

export const scopes: readonly { value: KeyScope; label: string }[] = [
  { value: 'user', label: 'a user' },
  { value: 'team', label: 'a team' },
  { value: 'agent', label: 'an agent' },
  { value: 'principal', label: 'a service principal' },
  { value: 'org', label: 'the organisation' },
];
