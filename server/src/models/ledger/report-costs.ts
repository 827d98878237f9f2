// policy.ts says who sees which costs.
import type { Permitted } from '@gantry/contract/can.ts';
import type { CostReport } from '@gantry/contract/models/costs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { canRead } from '../../governance/access/decide.ts';
import { teamsToRead } from '../../governance/access/reading.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { costReport, type CostFilter } from './cost-store.ts';
import { clock, payingAgents } from './accounts.ts';
import { findTeam } from '../../people/principals/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAsset, findAssetsById } from '../../assets/registry/find.ts';
import { mayReadWhole, readsCostsOf } from './policy.ts';

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
  const [report, whole] = await Promise.all([
    visibleTo(db, user).then(async (seen) => await costReport(db, { ...filter, since: start, until: end, ...seen })),
    wholeFor(db, user, filter),
  ]);
  return { ...report, whole };
}

async function visibleTo(db: Database, user: SignedInCaller): Promise<Pick<CostFilter, 'accounts' | 'user'>> {
  const teams = teamsToRead(user, 'read_costs');
  if (teams === 'all') return {};
  const agents = await findAssetsById(db, await payingAgents(db), user);
  const editable = agents.filter((agent) => readsCostsOf(user, agent)).map(({ id }) => id);
  // A user's account ends with the membership, and what the user has spent stays theirs.
  return { accounts: [user.id, ...teams, ...editable], ...(user.kind === 'user' && { user: user.label }) };
}

async function wholeFor(db: Database, user: SignedInCaller, { agent: name, team: of }: Asked): Promise<Permitted> {
  const [found, team] = await Promise.all([
    name === undefined ? undefined : findAsset(db, 'agent', name, user),
    of === undefined ? undefined : findTeam(db, of),
  ]);
  const agent = found !== undefined && canRead(user, found) ? found : undefined;
  return mayReadWhole(user, { team: team ?? of, agent });
}
