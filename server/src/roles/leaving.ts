// The order in which what a leaver had ends. Assets first: they can refuse the change, and their locks come before those of keys. Keys last:
// they wait for admitted calls.
import { readingGrantsEnd } from '../governance/access/reading-grants-end.ts';
import type { Forgets } from '../governance/access/forgets.ts';
import type { WhenLeaves } from '../governance/access/when-leaves.ts';
import { whenLeaves as approvals } from '../agents/approvals/when-leaves.ts';
import { whenLeaves as registry } from '../assets/registry/ownership/when-leaves.ts';
import { forgets as invokeForgets } from '../agents/invoke/forgets.ts';
import { forgets as memoryForgets } from '../agents/memory/forgets.ts';
import { forgets as orchestrationForgets } from '../agents/orchestration/forgets.ts';
import { forgets as connectionForgets } from '../agents/connections/forgets.ts';
import { forgets as clientForgets } from '../people/login/clients/forgets.ts';
import { forgets as callForgets } from '../agents/tools/approvals/forgets.ts';
import { forgets as questionForgets } from '../agents/tools/questions/forgets.ts';
import type { Stores } from '../assets/secrets/stores/index.ts';
import { whenLeaves as secrets } from '../assets/secrets/when-leaves.ts';
import { forgets as tracesForgets } from '../models/traces/forgets.ts';
import { forgets as repliesForgets } from '../governance/http/idempotency/forgets.ts';
import { whenLeaves as keys } from '../models/keys/when-leaves.ts';
import { whenLeaves as login } from '../people/login/when-leaves.ts';
import { whenLeaves as principals } from '../people/principals/when-leaves.ts';
import { whenLeaves as servicePrincipals } from '../people/service-principals/when-leaves.ts';

/** What each feature erases of a user who asks to be forgotten. Threads first: they refuse while a call is open. */
export const forgets: Forgets[] = [
  ...memoryForgets,
  ...invokeForgets,
  ...orchestrationForgets,
  ...callForgets,
  ...questionForgets,
  ...connectionForgets,
  ...clientForgets,
  ...tracesForgets,
  ...repliesForgets,
];

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
