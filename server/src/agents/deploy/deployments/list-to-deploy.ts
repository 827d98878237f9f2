import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { isAtLeast } from '@gantry/contract/roles.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { decide } from '../../../governance/access/decide.ts';
import { approvalRecords, approvedLately } from '../../approvals/approval-for.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findReadable, latestVersionIds } from '../../../assets/registry/find.ts';
import { approvedSubject } from '../decide-deploy.ts';
import { everServed } from '../upcoming-store.ts';

// Most approvals of a week are deployed, so more of them are read than are shown.
const candidates_per_row = 4;

/** The approvals of the last days that the caller may deploy: each for the newest version of its agent, which has never served. */
export async function listToDeploy(
  db: Reader,
  caller: SignedInCaller,
  { team_id, days, limit }: { team_id?: string | undefined; days: number; limit: number },
): Promise<Approval[]> {
  // A deploy entry needs the role too, and the role on the platform counts in every team.
  const inTeams = caller.memberships.filter(({ role }) => isAtLeast(role, 'deployer')).map((one) => one.team_id);
  const teams = isAtLeast(caller.role, 'deployer') ? 'all' : inTeams;
  const rows = await approvedLately(db, teams, { team_id, days, limit: limit * candidates_per_row });
  if (rows.length === 0) return [];
  const assets = await findReadable(
    db,
    caller,
    rows.map(({ asset_id }) => asset_id),
  );
  const agent_ids = assets.map(({ id }) => id);
  const version_ids = rows.map(({ version_id }) => version_id);
  const [latest, served] = await Promise.all([
    latestVersionIds(db, agent_ids),
    everServed(db, { agent_ids, version_ids }),
  ]);
  const waiting = rows.filter(({ asset_id, version_id, target }) => {
    const asset = assets.find(({ id }) => id === asset_id);
    if (asset === undefined || !latest.has(version_id) || served.has(version_id)) return false;
    return decide(caller, 'agent.deploy', approvedSubject(asset, target)).allowed;
  });
  return await approvalRecords(db, caller, waiting.slice(0, limit), { inside: true });
}
