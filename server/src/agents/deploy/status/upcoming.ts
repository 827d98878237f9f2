// The newest version of an agent while it does not serve: its request, who may deploy it, and its last deploy.
import { targetOf } from '@gantry/project/agent-yaml.ts';
import { most_deployers, upcoming, type Upcoming } from '@gantry/contract/agents/upcoming.ts';
import { entriesOf } from '../../../governance/access/acl.ts';
import { noRequest, type SignedInCaller } from '../../../governance/access/caller.ts';
import { decide } from '../../../governance/access/decide.ts';
import { readsWords, requestFor } from '../../approvals/approval-for.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { adminsOf, membersFrom } from '../../../people/principals/find.ts';
import { loadUsers } from '../../../people/principals/load-caller.ts';
import { findVersion, type AssetRecord } from '../../../assets/registry/find.ts';
import { meantTarget } from '../../../assets/targets/find-targets.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { deploymentRecords } from '../deployments/deployment.ts';
import { approvedSubject } from '../decide-deploy.ts';
import * as store from '../store.ts';
import { lastDeployOf } from '../upcoming-store.ts';

export async function upcomingVersion(db: Reader, user: SignedInCaller, asset: AssetRecord): Promise<Upcoming | null> {
  const latest = await findVersion(db, asset.id, 'latest');
  if (latest === undefined) return null;
  const { id: version_id, version, digest } = latest;
  const config = await loadAgentConfig(db, version_id);
  const target = await meantTarget(db, targetOf(config), config.deploy);
  const route = await store.route(db, asset.id, target);
  if (route?.version_id === version_id && route.digest === digest) return null;
  const request = await requestFor(db, user, { asset_id: asset.id, version_id, digest, target });
  if (request === undefined && !readsWords(user, { submitted_by: null }, asset)) return null;
  const last = await lastDeployOf(db, { agent_id: asset.id, version_id, digest, target });
  const [deployment] = last === undefined ? [] : await deploymentRecords(db, [last]);
  return {
    version,
    target,
    request: request === undefined ? null : upcoming.shape.request.unwrap().parse(request),
    can_deploy: await deployersOf(db, asset, target),
    deployment: deployment === undefined ? null : upcoming.shape.deployment.unwrap().parse(deployment),
  };
}

/** By the decision about a deploy itself, as it is once the content has its approval. */
async function deployersOf(db: Reader, asset: AssetRecord, target: string): Promise<string[]> {
  const entries = await entriesOf(db, asset.id);
  const allowedOf = async (ids: readonly string[]) => {
    const people = await loadUsers(db, ids);
    return people
      .filter((person) => {
        const caller = { ...person, active_team: person.primary_team, presence: null, origin: noRequest() };
        const subject = { ...asset, entries, entries_of: caller.id };
        return decide(caller, 'agent.deploy', approvedSubject(subject, target)).allowed;
      })
      .map(({ email }) => email)
      .toSorted();
  };
  const members = await allowedOf(await membersFrom(db, asset.team.id, 'deployer'));
  if (members.length > 0) return members.slice(0, most_deployers);
  const admins = (await adminsOf(db, [asset.team.id])).get(asset.team.id) ?? [];
  return (await allowedOf(admins.map(({ id }) => id))).slice(0, most_deployers);
}
