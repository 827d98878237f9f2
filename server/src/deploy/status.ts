// How an agent stands: what the record says, and what the engine says right now. A container that died is shown as dead, whatever should be.
import { notInEffect } from '@gantry/contract/agent-yaml.ts';
import type { AgentStatus } from '@gantry/contract/deploy.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { theOrg } from '../access/subject.ts';
import { signedIn } from '../principals/signed-in.ts';
import { findAssetsById, findVersion, type AssetRecord } from '../registry/find.ts';
import { loadAsset } from '../registry/assets/load-asset.ts';
import { list } from '../registry/assets/list.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';
import { findRun } from '../runs/run.ts';
import { endpointOf } from './endpoint.ts';
import { askHealth, type Health } from './health.ts';
import type { DeployParts } from './parts.ts';
import { describeExit } from './raise-again.ts';
import * as store from './store.ts';
import type { Instance } from './targets/target.ts';

export async function showStatus(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const asset = await loadAsset(parts.db, { kind: 'agent', name });
  authorize(signedIn(caller), 'deployment.read', asset);
  return await agentStatus(parts, asset, signal);
}

export async function listStatuses(
  parts: DeployParts,
  caller: Caller,
  query: { limit: number; cursor?: string | undefined },
  signal: AbortSignal,
): Promise<Page<AgentStatus>> {
  authorize(caller, 'deployment.list', theOrg);
  const page = await list(parts.db, parts.cursors, caller, { ...query, kind: 'agent' });
  const assets = new Map(
    (
      await findAssetsById(
        parts.db,
        page.items.map(({ id }) => id),
      )
    ).map((asset) => [asset.id, asset]),
  );
  const shown = page.items.flatMap(({ id }) => assets.get(id) ?? []);
  return { ...page, items: await Promise.all(shown.map((asset) => agentStatus(parts, asset, signal))) };
}

export async function agentStatus(parts: DeployParts, asset: AssetRecord, signal: AbortSignal): Promise<AgentStatus> {
  const { db } = parts;
  const [route, instances, latest] = await Promise.all([
    store.route(db, asset.id, 'local'),
    store.instancesOf(db, asset.id),
    findVersion(db, asset.id, 'latest'),
  ]);
  const common = {
    name: asset.name,
    team: asset.team.name,
    latest_version: latest?.version ?? null,
    draining: instances
      .filter(({ seconds_draining }) => seconds_draining !== null)
      .map(({ revision_id }) => revision_id),
  };
  if (route === undefined) return { ...common, ...notDeployed, detail: await whyNotDeployed(parts, asset) };
  const config = await loadAgentConfig(db, route.version_id);
  const row = instances.find(({ revision_id }) => revision_id === route.id);
  return {
    ...common,
    ...(await condition(parts, route, row, signal)),
    ref: printVersionRef({ kind: 'agent', name: asset.name, version: route.version }),
    endpoint: endpointOf(parts, asset.name),
    target: route.target,
    revision: route.id,
    digest: route.digest,
    restarts: row?.restarts ?? 0,
    last_exit: row?.last_exit ?? null,
    not_in_effect: notInEffect(config).map(({ field }) => field),
    deployed_by: route.deployed_by_name,
    deployed_at: route.created_at,
  };
}

const notDeployed = {
  state: 'not_deployed',
  ref: null,
  endpoint: null,
  target: null,
  revision: null,
  digest: null,
  restarts: 0,
  last_exit: null,
  in_flight: null,
  not_in_effect: [],
  deployed_by: null,
  deployed_at: null,
} satisfies Partial<AgentStatus>;

async function whyNotDeployed({ db }: DeployParts, asset: AssetRecord): Promise<string> {
  const [newest] = await store.deployments(db, { agent_id: asset.id, limit: 1 });
  const run = newest && (await findRun(db, newest.run_id));
  if (newest === undefined || run === undefined) return 'It was never deployed.';
  const reason = typeof run.problem?.['detail'] === 'string' ? `: ${run.problem['detail']}` : '';
  return `The last deploy, of ${newest.version}, is ${run.state}${reason}`;
}

const whenHung = 'It is started again when it goes on like that.';

type Condition = Pick<AgentStatus, 'state' | 'detail' | 'in_flight'>;

async function condition(
  parts: DeployParts,
  route: store.RouteRow,
  row: store.InstanceRow | undefined,
  signal: AbortSignal,
): Promise<Condition> {
  if (route.desired === 'stopped') return { state: 'stopped', detail: 'It was stopped.', in_flight: null };
  if (row === undefined) return { state: 'failed', detail: 'It has no container.', in_flight: null };
  try {
    const target = parts.targets[row.place.target];
    const seen = await target.observe(row.place, signal);
    if (seen.state !== 'running') return await dead(parts, row, seen, signal);
    const health = seen.url === undefined ? undefined : await askHealth(seen.url, signal);
    return alive(row, health);
  } catch (error) {
    if (error instanceof Problem) return { state: 'failed', detail: error.detail, in_flight: null };
    throw error;
  }
}

function alive(row: store.InstanceRow, health: Health | undefined): Condition {
  const in_flight = health?.in_flight ?? null;
  if (health?.status === 'ready' && row.url !== null) return { state: 'serving', detail: 'It answers.', in_flight };
  if (health?.status === 'failed')
    return { state: 'failed', detail: 'The agent could not be loaded; see its log.', in_flight };
  if (row.url === null) return { state: 'starting', detail: row.last_exit ?? 'It is being started.', in_flight };
  if (health === undefined)
    return { state: 'failed', detail: `The container runs and does not answer /health. ${whenHung}`, in_flight };
  return { state: 'starting', detail: 'The agent is being loaded.', in_flight };
}

const last_lines = 10;

async function dead(
  { targets }: DeployParts,
  row: store.InstanceRow,
  seen: Instance,
  signal: AbortSignal,
): Promise<Condition> {
  const again =
    row.next_start_at === null ? 'It is started again now.' : `It is started again at ${row.next_start_at}.`;
  const lines: string[] = [];
  if (seen.state === 'exited') {
    for await (const { line } of targets[row.place.target].logs(row.place, { tail: last_lines, signal }))
      lines.push(line);
  }
  const detail = [`${describeExit(seen) ?? 'The container was not started.'} ${again}`, ...lines].join('\n');
  return { state: 'failed', detail, in_flight: null };
}
