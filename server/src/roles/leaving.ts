// The order in which what a leaver had ends. Assets first: they can refuse the change, and their locks come before those of keys. Keys last:
// they wait for admitted calls.
import { readingGrantsEnd } from '../governance/access/reading-grants-end.ts';
import type { WhenLeaves } from '../governance/access/when-leaves.ts';
import { whenLeaves as approvals } from '../agents/approvals/when-leaves.ts';
import { whenLeaves as registry } from '../assets/registry/ownership/when-leaves.ts';
import type { Stores } from '../assets/secrets/stores/index.ts';
import { whenLeaves as secrets } from '../assets/secrets/when-leaves.ts';
import { whenLeaves as keys } from '../models/keys/when-leaves.ts';
import { whenLeaves as login } from '../people/login/when-leaves.ts';
import { whenLeaves as principals } from '../people/principals/when-leaves.ts';
import { whenLeaves as servicePrincipals } from '../people/service-principals/when-leaves.ts';

export const whenLeaves = (stores: Stores): WhenLeaves[] => [
  registry,
  readingGrantsEnd,
  login,
  principals,
  servicePrincipals,
  secrets(stores),
  approvals,
  keys,
];
