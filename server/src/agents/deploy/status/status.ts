// The state of agents. For one agent, the status looks at the container now, so a dead container shows as dead.
// A list reads from the database the keeper's last condition and the time of its look.
import { notInEffect, type AgentConfig } from '@gantry/project/agent-yaml.ts';
import { scalingOf } from '@gantry/project/agent-yaml/scaling.ts';
import type { AgentCost } from '@gantry/contract/models/costs.ts';
import type { AgentStatus, CallFigures } from '@gantry/contract/agents/deploy.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import type { RunState } from '@gantry/contract/agents/run-states.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { agentCosts } from '../../../models/ledger/agent-cost.ts';
import { settings, type Settings } from '../../../people/principals/find.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { findAssetsById, findVersion, type AssetRecord } from '../../../assets/registry/find.ts';
import { search } from '../../../assets/registry/assets/list.ts';
import { loadAgentConfigs } from '../../../assets/registry/versions/load-version-content.ts';
import { findRuns, type RunRow } from '../../../ground/runs/run.ts';
import { dailyFigures } from '../../../models/traces/daily-figures.ts';
import { attentionOf, missingModels } from './attention.ts';
import { crashingAgents } from '../event-store.ts';
import { lastCondition, look, together, unknownAfter, unseen, type Condition } from '../keep/condition.ts';
import { whyOutsideSetting } from '../egress.ts';
import { endpointOf } from '../serving/endpoint.ts';
import type { DeployParts } from '../parts.ts';
import { whereState } from '../state-store.ts';
import { secretsOfOutput } from '../log/keep-log.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';

export interface StatusQuery {
  state?: AgentStatus['state'] | undefined;
  team?: string | undefined;
  text?: string | undefined;
  limit: number;
  cursor?: string | undefined;
  total?: boolean | undefined;
}

/** For a condition from the records. */
export type StatusParts = Pick<DeployParts, 'db' | 'base_url' | 'start_deadline_ms'>;

export async function listStatuses(
  parts: DeployParts,
  caller: Caller,
  { state, text, ...query }: StatusQuery,
): Promise<Page<AgentStatus>> {
  authorize(caller, 'deployment.list', theOrg);
  const { db, cursors } = parts;
  const narrowing = state && { name: state, where: whereState(state, unknownAfter(parts)) };
  const asked = { ...query, kind: 'agent', narrowing } as const;
  const page = await search(db, cursors, caller, { ...asked, q: text });
  const items = await statusesOf(parts, signedIn(caller), page.items);
  // A state can change between the two statements.
  return { ...page, items: items.filter((one) => state === undefined || one.state === state) };
}

/** From their last checks, in the order of the agents. */
export async function statusesOf(
  parts: StatusParts,
  user: SignedInCaller,
  agents: readonly Agent[],
): Promise<AgentStatus[]> {
  const [listed, assets] = await Promise.all([
    loadAgents(parts.db, agents),
    findAssetsById(
      parts.db,
      agents.map(({ id }) => id),
      user,
    ),
  ]);
  const costs = await agentCosts(parts.db, user, assets);
  return listed.map((one) => ({
    ...describe(parts, one, { ...recorded(parts, one), cost: costs.get(one.agent.id) ?? null }),
  }));
}

/** `cost` is for readers with `write`. */
export async function agentStatus(
  parts: DeployParts,
  asset: AssetRecord,
  signal: AbortSignal,
  cost: AgentCost | null = null,
): Promise<AgentStatus> {
  const latest = await findVersion(parts.db, asset.id, 'latest');
  const agent = { id: asset.id, name: asset.name, team: asset.team.name, latest_version: latest?.version ?? null };
  const [listed] = await loadAgents(parts.db, [agent]);
  if (listed === undefined) throw new Error(`agents/${asset.name} has no status`);
  const rolled_back = (await store.lastRollback(parts.db, asset.id, listed.route?.target)) ?? null;
  return { ...describe(parts, listed, { ...(await live(parts, listed, signal)), cost }), rolled_back };
}

type Agent = Pick<AgentStatus, 'name' | 'team' | 'latest_version'> & { id: string };

interface ListedAgent {
  agent: Agent;
  /** The default one, if it is deployed. */
  route: store.RouteRow | undefined;
  /** On every target, the default one first. */
  routes: store.RouteRow[];
  config: AgentConfig | undefined;
  /** By version, of all routes. */
  configs: ReadonlyMap<string, AgentConfig>;
  /** The instances of the route's revision, without those that drain. */
  rows: instanceStore.InstanceRow[];
  /** The agent's instances, of all its revisions. */
  instances: instanceStore.InstanceRow[];
  setting: Settings;
  refused: Awaited<ReturnType<typeof store.refusedEgress>>;
  draining: string[];
  newest: store.DeploymentRow | undefined;
  no_room: string | null;
  last_24h: CallFigures;
  isUnpaid: boolean;
  isCrashing: boolean;
  missing_models: string[];
  run: RunRow | undefined;
}

/** In the order of the agents, with one statement of each kind for all of them. */
async function loadAgents(db: Reader, agents: readonly Agent[]): Promise<ListedAgent[]> {
  const ids = agents.map(({ id }) => id);
  const [routes, instances, figures, crowded, crashing] = await Promise.all([
    store.routes(db, ids),
    instanceStore.instancesOf(db, ids),
    dailyFigures(db, ids),
    store.noRoom(db, ids),
    crashingAgents(db, ids),
  ]);
  const routesOf = Map.groupBy(routes, ({ agent_id }) => agent_id);
  const routed = new Map(routes.filter(({ is_default }) => is_default).map((route) => [route.agent_id, route]));
  const others = ids.filter((id) => !routed.has(id));
  const [configs, deployments, setting, refused] = await Promise.all([
    loadAgentConfigs(
      db,
      routes.map(({ version_id }) => version_id),
    ),
    others.length === 0 ? [] : store.newestDeployments(db, others),
    settings(db),
    routes.length === 0
      ? []
      : store.refusedEgress(
          db,
          routes.map(({ id }) => id),
        ),
  ]);
  const run_ids = deployments.map(({ run_id }) => run_id);
  const [runs, missing] = await Promise.all([
    run_ids.length === 0 ? [] : findRuns(db, run_ids),
    missingModels(db, [...configs.values()]),
  ]);
  const rowsOf = Map.groupBy(instances, ({ agent_id }) => agent_id);
  return agents.map((agent) => {
    const route = routed.get(agent.id);
    const all = rowsOf.get(agent.id) ?? [];
    const newest = deployments.find(({ agent_id }) => agent_id === agent.id);
    return {
      agent,
      route,
      routes: routesOf.get(agent.id) ?? [],
      config: route && configs.get(route.version_id),
      configs,
      setting,
      refused: refused.filter(({ revision_id }) => revision_id === route?.id),
      rows: takingOf(all, route),
      instances: all,
      draining: [
        ...new Set(
          all.filter(({ seconds_draining }) => seconds_draining !== null).map(({ revision_id }) => revision_id),
        ),
      ],
      newest,
      no_room: crowded.find((one) => one.agent_id === agent.id && one.target === route?.target)?.detail ?? null,
      last_24h: figures.of(agent.id),
      isUnpaid: figures.isUnpaid(agent.id),
      isCrashing: crashing.includes(agent.id),
      missing_models: missing(route && configs.get(route.version_id)),
      run: runs.find(({ id }) => id === newest?.run_id),
    };
  });
}

function takingOf(rows: readonly instanceStore.InstanceRow[], route: store.RouteRow | undefined) {
  return rows.filter((row) => row.revision_id === route?.id && instanceStore.takesCalls(row));
}

function describe(
  parts: StatusParts,
  listed: ListedAgent,
  { condition, each, cost }: Conditions & { cost: AgentCost | null },
): AgentStatus {
  const { agent, route, config, rows, setting, refused, draining, no_room, last_24h } = listed;
  const [row] = rows;
  const { name, team, latest_version } = agent;
  const ref = route === undefined ? null : printVersionRef({ kind: 'agent', name, version: route.version });
  const made = row?.egress ?? undefined;
  return {
    name,
    team,
    latest_version,
    draining,
    attention: attentionOf({ ...listed, ...condition, cost }),
    no_room,
    last_24h,
    ...condition,
    ref,
    endpoint: route === undefined ? null : endpointOf(parts, name),
    target: route?.target ?? null,
    targets: listed.routes.map((one) => describeTarget(parts, listed, { route: one, now: condition })),
    revision: route?.id ?? null,
    digest: route?.digest ?? null,
    restarts: rows.reduce((sum, one) => sum + one.restarts, 0),
    last_exit: rows.find(({ last_exit }) => last_exit !== null)?.last_exit ?? null,
    instances: rows.map(({ id, n, restarts, last_exit }, index) => ({
      id,
      n,
      ...(each[index] ?? condition),
      restarts,
      last_exit,
    })),
    not_in_effect: config === undefined ? [] : notInEffect(config).map(({ field }) => field),
    egress: made ?? null,
    reach: null,
    outside_setting:
      config === undefined || row === undefined || ref === null
        ? null
        : whyOutsideSetting(setting, config, { made, ref }),
    refused_egress: refused.map(({ revision_id: _, ...one }) => one),
    deployed_by: route?.deployed_by_name ?? null,
    deployed_at: route?.created_at ?? null,
    rolled_back: null,
    upcoming: null,
    cost,
    can: null,
  };
}

/** The default target has the state of its agent, and the others that of their last checks. */
function describeTarget(
  parts: StatusParts,
  listed: ListedAgent,
  { route, now }: { route: store.RouteRow; now: Condition },
): AgentStatus['targets'][number] {
  const { target, id: revision, version, is_default } = route;
  const rows = takingOf(listed.instances, route);
  const config = listed.configs.get(route.version_id);
  const { state } = is_default ? now : recorded(parts, { ...listed, route, config, rows }).condition;
  return { target, revision, version, state, is_default };
}

interface Conditions {
  condition: Condition;
  /** In the order of the instances. Empty when the records decide. */
  each: Condition[];
}

function recorded(parts: StatusParts, listed: ListedAgent): Conditions {
  const known = settled(listed);
  if (known !== undefined) return { condition: known, each: [] };
  const each = listed.rows.map((row) => lastCondition(parts, row));
  return { condition: together(each), each };
}

async function live(parts: DeployParts, listed: ListedAgent, signal: AbortSignal): Promise<Conditions> {
  const known = settled(listed);
  if (known !== undefined) return { condition: known, each: [] };
  const each = await Promise.all(listed.rows.map(async (row) => await lookNow(parts, listed, row, signal)));
  return { condition: together(each), each };
}

async function lookNow(
  parts: DeployParts,
  listed: ListedAgent,
  row: instanceStore.InstanceRow,
  signal: AbortSignal,
): Promise<Condition> {
  const seen_at = new Date().toISOString();
  try {
    const { seen, found } = await look(parts, row, signal);
    if (seen.state !== 'exited') return { ...found, seen_at };
    const lines: string[] = [];
    const secrets = listed.config === undefined ? {} : await secretsOfOutput(parts, row);
    const query = { tail: last_lines, secrets, signal };
    for await (const { line } of (await parts.targets.find(row.target)).logs(seen.place, query)) lines.push(line);
    return { ...found, detail: [found.detail, ...lines].join('\n'), seen_at };
  } catch (error) {
    if (error instanceof Problem) return unseen(error, row);
    throw error;
  }
}

const last_lines = 10;

/** The state by the records, without a look at the container. */
function settled({ route, config, rows, newest, run }: ListedAgent): Condition | undefined {
  const nothing = { in_flight: null, seen_at: null };
  if (route === undefined) return { state: 'not_deployed', detail: whyNotDeployed(newest, run), ...nothing };
  if (route.desired === 'stopped') return { state: 'stopped', detail: 'A user stopped it.', ...nothing };
  if (rows.length === 0 && config !== undefined && scalingOf(config).min === 0)
    return { state: 'asleep', detail: 'The next call starts it.', ...nothing };
  if (rows.length === 0) return { state: 'failed', detail: 'It has no container.', ...nothing };
  return undefined;
}

function whyNotDeployed(newest: store.DeploymentRow | undefined, run: RunRow | undefined): string {
  if (newest === undefined || run === undefined) return 'It has never been deployed.';
  const reason = typeof run.problem?.['detail'] === 'string' ? `: ${run.problem['detail']}` : '';
  return `The last deploy, of ${newest.version}, ${how_deploys_stand[run.state]}${reason === '' ? '.' : reason}`;
}

const how_deploys_stand: Record<RunState, string> = {
  queued: 'waits for its turn',
  running: 'is under way',
  waiting: 'waits for a person',
  cancelling: 'is being cancelled',
  done: 'is done',
  failed: 'failed',
  cancelled: 'was cancelled',
  needs_attention: 'failed, and its undo is incomplete',
};
