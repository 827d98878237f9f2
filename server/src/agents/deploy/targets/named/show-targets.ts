import { local_target, type Target, type TargetDetail } from '@gantry/contract/assets/targets.ts';
import { placeOf } from '@gantry/project/asset-config/target.ts';
import { isAtLeast } from '@gantry/contract/roles.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, SignedInCaller } from '../../../../governance/access/caller.ts';
import { authorize } from '../../../../governance/access/authorize.ts';
import { canRead, decide } from '../../../../governance/access/decide.ts';
import { theOrg } from '../../../../governance/access/subject.ts';
import type { Reader } from '../../../../ground/database/database.ts';
import { signedIn } from '../../../../people/principals/signed-in.ts';
import { findAssets, findReadable, type AssetRecord } from '../../../../assets/registry/find.ts';
import { listTargets, type TargetRow } from '../../../../assets/targets/find-targets.ts';
import type { DeployParts } from '../../parts.ts';
import * as placementStore from '../../placement-store.ts';

type Parts = Pick<DeployParts, 'db' | 'targets'>;

/** Those that the caller may read; `local` is first. */
export async function showTargets(parts: Parts, caller: Caller): Promise<Target[]> {
  const user = signedIn(caller);
  authorize(user, 'target.list', theOrg);
  const agents = await agentsOn(parts.db, user);
  const rows = await readableRows(parts.db, user);
  return [
    ...parts.targets.own.map((name) => own(user, { name, agents: agents(name) })),
    ...rows.map(({ row, asset }) => toTarget(user, { row, asset, agents: agents(row.name) })),
  ];
}

export async function showTarget(parts: Parts, caller: Caller, name: string): Promise<TargetDetail> {
  const user = signedIn(caller);
  authorize(user, 'target.list', theOrg);
  const agents = (await agentsOn(parts.db, user))(name);
  const [found] = await readableRows(parts.db, user, name);
  if (found !== undefined) {
    const { config, digest, set_by, set_at } = found.row;
    const credential = set_by === null || set_at === null ? null : { set_by, set_at };
    return { ...toTarget(user, { ...found, agents }), config, digest, credential };
  }
  if (!parts.targets.own.includes(name)) throw new Problem('not_found');
  return { ...own(user, { name, agents }), config: {}, digest: null, credential: null };
}

async function readableRows(db: Reader, user: SignedInCaller, name?: string) {
  const rows = await listTargets(db, name);
  const asked = rows.map((row) => ({ kind: 'target' as const, id: row.id, caller_id: user.id }));
  const assets = await findAssets(db, asked);
  return rows.flatMap((row, index) => {
    const asset = assets[index];
    return asset !== undefined && canRead(user, asset) ? [{ row, asset }] : [];
  });
}

async function agentsOn(db: Reader, user: SignedInCaller): Promise<(target: string) => string[]> {
  const placed = await placementStore.placedAgents(db);
  const readable = await findReadable(db, user, [...new Set(placed.map(({ agent_id }) => agent_id))]);
  const names = new Map(readable.map(({ id, name }) => [id, name]));
  return (target) =>
    placed
      .filter((one) => one.target === target)
      .flatMap(({ agent_id }) => names.get(agent_id) ?? [])
      .toSorted();
}

const own = (user: SignedInCaller, { name, agents }: Pick<Target, 'name' | 'agents'>): Target => ({
  name,
  ref: null,
  kind: name === local_target ? local_target : 'engine',
  address: null,
  team: null,
  // Whoever may deploy an agent may deploy it there.
  deploys: [user, ...user.memberships].some(({ role }) => isAtLeast(role, 'deployer')),
  agents,
});

function toTarget(
  user: SignedInCaller,
  { row, asset, agents }: { row: TargetRow; asset: AssetRecord; agents: string[] },
): Target {
  return {
    name: row.name,
    ref: asset.ref,
    kind: row.config.kind,
    address: placeOf(row.config) ?? null,
    team: asset.team.name,
    deploys: decide(user, 'target.deploy_to', asset).allowed,
    agents,
  };
}
