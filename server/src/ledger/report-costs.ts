// Who sees which costs: of oneself; of an agent, who may edit it; of a team, its admins; of all, platform admins.
import type { CostReport } from '@gantry/contract/costs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import { decide } from '../access/decide.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import { costReport, type CostFilter } from './cost-store.ts';
import { clock, payingAgents } from './accounts.ts';
import { signedIn } from '../principals/signed-in.ts';
import { findAssetsById } from '../registry/find.ts';

type Asked = Omit<CostFilter, 'since' | 'until' | 'accounts' | 'user'> & {
  since?: string | undefined;
  until?: string | undefined;
};

const usual_ms = 30 * 86_400_000;

export async function reportCosts(
  db: Database,
  caller: Caller,
  { since, until, ...filter }: Asked,
): Promise<CostReport> {
  const user = signedIn(caller);
  authorize(user, 'cost.read', theOrg);
  const now = await clock(db);
  const end = until ?? now;
  const start = since ?? new Date(Date.parse(end) - usual_ms).toISOString();
  if (start > end) throw new Problem('malformed', { detail: '`since` is after `until`.' });
  return await costReport(db, { ...filter, since: start, until: end, ...(await visibleTo(db, user)) });
}

async function visibleTo(db: Database, user: SignedInCaller): Promise<Pick<CostFilter, 'accounts' | 'user'>> {
  if (user.kind === 'user' && user.role === 'admin') return {};
  const teams = user.memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  const agents = await findAssetsById(db, await payingAgents(db), user);
  const editable = agents.filter((agent) => decide(user, 'asset.write', agent).allowed).map(({ id }) => id);
  // A user's account ends with the membership, and what the user has spent stays theirs.
  return { accounts: [user.id, ...teams, ...editable], ...(user.kind === 'user' && { user: user.label }) };
}
