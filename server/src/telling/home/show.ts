// One answer from the lists of other features. Each list decides its own rows, so home decides nothing.
import { home_agents, home_days, home_items, home_percent, type Home } from '@gantry/contract/telling/home.ts';
import { listOwn, listRejected, listWaiting } from '../../agents/approvals/waiting.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { listFailedDeploys } from '../../agents/deploy/deployments/list-deploys.ts';
import { listToDeploy } from '../../agents/deploy/deployments/list-to-deploy.ts';
import { listWatched } from '../../agents/deploy/status/list-watched.ts';
import type { StatusParts } from '../../agents/deploy/status/status.ts';
import { listWaitingRuns } from '../../agents/memory/inbox/list-inbox.ts';
import { listCallsToDecide } from '../../agents/tools/approvals/list-waiting.ts';
import { listDueKeys, listNearBudgets } from '../../models/keys/accounts/due.ts';
import { countUnread } from '../notifications/count.ts';
import { loadTeam } from '../../people/principals/load-team.ts';
import { signedIn } from '../../people/principals/signed-in.ts';

export type HomeParts = StatusParts;

export async function showHome(
  parts: HomeParts,
  caller: Caller,
  { team: name }: { team?: string | undefined },
): Promise<Home> {
  const { db } = parts;
  const user = signedIn(caller);
  authorize(user, 'home.read', theOrg);
  const team = name === undefined ? undefined : await loadTeam(db, name);
  if (team !== undefined) authorize(user, 'team.read', team);
  const of = { team_id: team?.id, limit: home_items };
  // One after the other: side by side, the lists of one user would take the database from all others.
  const requests = await listWaiting(db, user, of);
  const waiting_runs = await listWaitingRuns(db, user, of);
  const waiting_calls = await listCallsToDecide(db, user, of);
  const rejected = await listRejected(db, user, { ...of, days: home_days });
  const own = await listOwn(db, user, { ...of, days: home_days });
  const to_deploy = await listToDeploy(db, user, { ...of, days: home_days });
  const failed_deployments = await listFailedDeploys(db, user, { ...of, days: home_days });
  const keys = await listDueKeys(db, user, { ...of, days: home_days });
  const budgets = await listNearBudgets(db, user, { ...of, percent: home_percent });
  // A service principal has no notifications.
  const unread = user.kind === 'user' ? await countUnread(db, user) : 0;
  const watched = await listWatched(parts, user, { team: team?.name, limit: home_agents });
  return {
    requests,
    waiting_runs,
    waiting_calls,
    rejected,
    own,
    to_deploy,
    failed_deployments,
    keys,
    budgets,
    unread,
    ...watched,
  };
}
