// A push: quick checks refuse at once, with all faults; slow work (resolving) is a run. Promise: after a 202 the files are stored. A run
// makes a version of them or reports a fault, even across a kill. Must never happen: a version with another name, team or owner than the
// asset's record, or new content under a final version.
import { checkProject } from '@gantry/project/agent-project.ts';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { resolverLines } from '@gantry/project/dependencies/resolver-lines.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, Refusal } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { canRead, decide, isMember, principalOf } from '../../../governance/access/decide.ts';
import type { TeamSubject } from '../../../governance/access/subject.ts';
import type { Database } from '../../../ground/database/database.ts';
import { findTeam } from '../../../people/principals/find.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { enqueue, MutexHeld } from '../../../ground/runs/run.ts';
import type { AssetRecord } from '../asset.ts';
import { requireOwnName } from '../assets/former-name.ts';
import { sourceDigest } from '../content.ts';
import * as contents from '../content-store.ts';
import { findAgent, findVersion } from '../find.ts';
import { loadVersionSummary } from '../versions/load-version-content.ts';
import { requireAgentRuleTests } from '../call-rules/require-rule-tests.ts';
import type { RuleThread } from '../call-rules/rule-thread.ts';
import { ownerOfNew, requireSameOwner } from '../assets/owner.ts';
import { projectInvalid } from '../project-invalid.ts';
import type { PushInput } from './push-input.ts';
import { shareOf, type PushPlaces } from './push-places.ts';
import { unpack, type Unpacked } from '../archive/unpack.ts';
import { versionFinal } from '../versions/version-final.ts';

export interface PushRequest {
  name: string;
  message: string;
  archive: ReadableStream<Uint8Array>;
  signal: AbortSignal;
  /** The caller, read again when the last read is old. */
  callerNow: () => Promise<Caller>;
}

export interface PushParts {
  db: Database;
  places: PushPlaces;
  rules: RuleThread;
}

/** Answers the id of the run. */
export async function push({ db, places, rules }: PushParts, caller: Caller, request: PushRequest): Promise<string> {
  const user = signedIn(caller);
  const { signal } = request;
  const asset = await pushable(db, user, request.name);
  return await places.push(shareOf(user, asset), { body: request.archive, signal }, async (packed) => {
    const unpacked = await unpack(packed, signal);
    // The upload may have taken minutes. Meanwhile the sender may have lost every right, or the agent may have changed owner.
    const now = signedIn(await request.callerNow());
    return await store({ db, rules }, now, { ...request, asset: await pushable(db, now, request.name), ...unpacked });
  });
}

// Before the body is read: a caller without the right to push must not cost an unpack.
async function pushable(db: Database, user: SignedInCaller, name: string): Promise<AssetRecord | undefined> {
  const asset = await findAgent(db, name, user);
  if (asset === undefined) requireSomeTeam(user);
  else requireWrite(user, asset);
  return asset;
}

interface Arrived extends PushRequest, Unpacked {
  asset: AssetRecord | undefined;
}

async function store(
  { db, rules }: Omit<PushParts, 'places'>,
  user: SignedInCaller,
  { asset, files, manifest, ...request }: Arrived,
): Promise<string> {
  const { config, notices, dependencies } = checked(request.name, files);
  const team = await pushableTeam(db, user, config.team);
  const owner_id = asset === undefined ? await ownerOfNew(db, user, team, config.owner) : asset.owner_id;
  const creating = `agents/${request.name}`;
  if (asset === undefined) {
    authorize(user, 'asset.create', { ...team, creating });
    await requireOwnName(db, user, { kind: 'agent', name: request.name, team_id: team.id });
  } else requireSameOwner(asset, config);
  await requireAgentRuleTests(rules, user, { config, yaml: files.get('agent.yaml') });
  const source = sourceDigest({ config, manifest });
  if (asset !== undefined) await requireOpenVersion(db, asset, config, source);
  const { request_id, ip } = user.origin;
  const input: PushInput = {
    asset_id: asset?.id ?? null,
    team_id: team.id,
    owner_id,
    config,
    manifest,
    source,
    dependencies,
    message: request.message,
    notices,
    origin: { request_id, ip },
  };
  return await stageAndEnqueue(db, user, input, files);
}

// Names of agents are unique in the organisation. A user of another team probably wants a new agent of that name, and is refused because it
// is taken. The refusal names the team only if they may read the agent.
function requireWrite(user: SignedInCaller, asset: AssetRecord): void {
  const readable = canRead(user, asset);
  if (readable && (isMember(user, asset.team.id) || decide(user, 'asset.write', asset).allowed)) {
    authorize(user, 'asset.write', asset);
    return;
  }
  const team = `team:${asset.team.name}`;
  const problem = {
    code: 'exists' as const,
    reason: `The name ${asset.name} is taken${readable ? ` by an agent of ${team}` : ''}.`,
    hint: `Choose another \`name\` in agent.yaml.${readable ? ` To push to that agent, ask an admin of ${team}.` : ''}`,
  };
  throw new Refusal(problem, 'asset.write', asset);
}

// The team of a new agent is in the archive. A caller who may create in no team is refused before it is read.
function requireSomeTeam(user: SignedInCaller): void {
  if (user.role === 'admin') return;
  const teams = user.memberships.map(({ team_id, team }): TeamSubject => ({ kind: 'team', id: team_id, name: team }));
  const [first] = teams;
  if (first === undefined) {
    throw new Problem('rbac_failed', {
      detail: 'RBAC check failed: `team` in agent.yaml must be a registered team of yours, and you are in none.',
      hint: teamsHint(user),
    });
  }
  if (!teams.some((team) => decide(user, 'asset.create', team).allowed)) authorize(user, 'asset.create', first);
}

function checked(name: string, files: ReadonlyMap<string, Uint8Array>) {
  const { config, findings, dependencies } = checkProject(files);
  const errors = findings.filter((finding) => finding.severity === 'error');
  if (config === undefined || errors.length > 0) throw projectInvalid(errors);
  if (config.name !== name) {
    throw new Problem('project_invalid', {
      detail: `agent.yaml names the agent ${config.name}, but the push is for ${name}.`,
      errors: [{ pointer: '/name', file: 'agent.yaml', message: `is ${config.name}, not ${name}` }],
    });
  }
  return {
    config,
    dependencies: {
      ...resolverLines(dependencies),
      ...(dependencies.locked === undefined ? {} : { locked: dependencies.locked }),
      requires_python: dependencies.requires_python,
      ...(dependencies.preferred_python === undefined ? {} : { preferred_python: dependencies.preferred_python }),
    },
    notices: findings.map((finding) => `${finding.file}: ${finding.message}`),
  };
}

// The sentence of the spec. An unknown team and a hidden team get the same answer.
async function pushableTeam(db: Database, user: SignedInCaller, name: string): Promise<TeamSubject> {
  const row = await findTeam(db, name);
  const team: TeamSubject | undefined = row && { kind: 'team', id: row.id, name: row.name };
  if (team === undefined || !decide(user, 'team.read', team).allowed) {
    throw new Problem('rbac_failed', {
      detail: `RBAC check failed: \`team\` in agent.yaml is ${name}, which is not one of your registered teams.`,
      hint: teamsHint(user, name),
      errors: [{ pointer: '/team', file: 'agent.yaml', message: `${name} is not one of your registered teams` }],
    });
  }
  return team;
}

/** No team is hidden from an admin, so the answer may say that it does not exist. */
function teamsHint(user: SignedInCaller, missing?: string): string {
  const yours = `Your teams: ${user.memberships.map((membership) => membership.team).join(', ') || 'none'}.`;
  if (user.role === 'admin' && missing !== undefined) return `${yours} To make it: svc team create ${missing}`;
  return `${yours} Ask an admin to add you: svc team add ${missing ?? '<team>'} ${principalOf(user)} --role contributor`;
}

async function requireOpenVersion(
  db: Database,
  asset: AssetRecord,
  config: AgentConfig,
  source: string,
): Promise<void> {
  const version = await findVersion(db, asset.id, config.version);
  if (version?.state !== 'final') return;
  const summary = await loadVersionSummary(db, version.id);
  if (summary.source !== source) throw versionFinal({ kind: 'agent', name: config.name, version: config.version });
}

async function stageAndEnqueue(
  db: Database,
  user: SignedInCaller,
  input: PushInput,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<string> {
  const agent = input.config.name;
  const blobs = new Map<string, Uint8Array>();
  for (const { path, sha256 } of input.manifest) {
    const bytes = files.get(path);
    if (bytes !== undefined) blobs.set(sha256, bytes);
  }
  try {
    return await db.transaction(async (tx) => {
      await contents.stageBlobs(tx, blobs);
      const actor = { user_id: user.id, name: user.label };
      const run = await enqueue(tx, { kind: 'push', mutex: `push:${agent}`, input, actor, team_id: input.team_id });
      return run.id;
    });
  } catch (error) {
    if (!(error instanceof MutexHeld)) throw error;
    const running = error.holder?.id;
    throw new Problem('conflict', {
      detail: `Another push of agents/${agent} is running${running === undefined ? '' : `: ${running}`}.`,
      hint: 'Push again when it has ended.',
      fields: { push_id: running },
    });
  }
}
