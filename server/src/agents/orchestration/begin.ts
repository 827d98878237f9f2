// A call of an orchestration. The process that takes it holds its run from the start. After the sync budget the caller gets 202 with the run id.
import { default_timeout_seconds } from '@gantry/project/orchestration-yaml.ts';
import { Problem, readProblem } from '@gantry/contract/problems.ts';
import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { canonicalJson } from '../../governance/audit/canonical-json.ts';
import { errorCode, unique_violation, type Reader } from '../../ground/database/database.ts';
import { jsonReply, type Reply } from '../../governance/http/answer/reply.ts';
import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';
import { callKey, refuseOtherContent, runIdOf } from '../invoke/calls/call-key.ts';
import { isDetached, runningReply } from '../invoke/calls/detached.ts';
import type { Ingress } from '../invoke/ingress.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findVersionById, type AssetRecord } from '../../assets/registry/find.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { findRun } from '../../ground/runs/run.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { within } from '../../ground/within.ts';
import { loadOrchestration, type Orchestration } from './load-orchestration.ts';
import { inputsIn, keepsThreads } from './members/member-inputs.ts';
import { run_places } from './orchestrate.ts';
import { kind, type OrchestrationInput, type OrchestrationResult } from './runs/orchestration-run.ts';
import type { Orchestrations } from './parts.ts';

export interface IncomingRun {
  caller: Caller;
  name: string;
  body: { input: unknown; thread_id?: string | undefined };
  headers: RequestHeaders;
  trace: TraceContext;
  /** The id of the new run. */
  id?: string;
  /** Its Idempotency-Key: the run that it names is begun once. */
  key?: string | undefined;
  /** The context of a task of A2A. It is the thread of the members that keep threads, and no member needs to. */
  context_id?: string;
}

export async function invoke(parts: Orchestrations, incoming: IncomingRun): Promise<Reply> {
  const { headers } = incoming;
  const { sync_budget_ms, stopping } = parts.ingress;
  const { id, ended } = await begin(parts, { ...incoming, key: callKey(headers) });
  const over = isDetached(headers)
    ? undefined
    : await within(
        sync_budget_ms,
        ended.then(() => true),
        stopping,
      );
  const run =
    over === undefined ? undefined : await findRun<OrchestrationInput, OrchestrationResult>(parts.ingress.db, id);
  if (run?.result && run.input.input === undefined)
    throw new Problem('run_gone', {
      detail: 'The run of this Idempotency-Key has ended, and its answer is forgotten.',
    });
  if (run?.result) return jsonReply({ run_id: id, ...run.result }, 200, { 'x-run-id': id });
  const problem = readProblem(run?.problem);
  if (problem !== undefined) throw withRun(problem, id);
  const status = run?.state === 'waiting' ? 'waiting' : 'running';
  return runningReply(headers, { run_id: id, status, location: `/orchestrations/${incoming.name}/runs/${id}` });
}

const max_input_bytes = 1024 * 1024;

/** Throws the refusal, `too_large`, `not_deployed`, `threads_not_kept`, `idempotency_conflict`, or `too_many_requests` when this process has no place. */
export async function begin(
  { ingress, worker }: Orchestrations,
  { caller, name, body, trace, id, key, context_id }: IncomingRun,
): Promise<{ id: string; ended: Promise<void> }> {
  const { db } = ingress;
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'orchestration', name }, user);
  const serving_version_id = requireCallable(user, asset);
  // It is stored with the run.
  if (Buffer.byteLength(JSON.stringify(body.input)) > max_input_bytes)
    throw new Problem('too_large', { detail: `The input is larger than ${max_input_bytes / 1024 ** 2} MB.` });
  const keyed = key === undefined ? undefined : runIdOf({ caller_id: user.id, asset_id: asset.id, key });
  if (keyed !== undefined) {
    await refuseOtherContent(ingress, keyed, canonicalJson(body));
    if ((await findRun(db, keyed)) !== undefined) return { id: keyed, ended: endOf(ingress, keyed) };
  }
  const version = await findVersionById(db, serving_version_id);
  if (version === undefined) throw notDeployed(asset);
  const orchestration = await loadOrchestration(db, version.id);
  if (body.thread_id !== undefined) await refuseForgotten(db, asset.ref, orchestration);
  const { config } = orchestration;
  const { timeout_seconds = default_timeout_seconds } = config;
  const { request_id, ip } = caller.origin;
  const input: OrchestrationInput = {
    orchestration_id: asset.id,
    name,
    team_id: asset.team.id,
    version_id: version.id,
    version: version.version,
    digest: version.digest,
    input: body.input,
    thread_id: body.thread_id ?? (await threadOf(db, orchestration, context_id)),
    ...(context_id !== undefined && { context_id }),
    deadline_at: new Date(Date.now() + timeout_seconds * 1000).toISOString(),
    origin: { request_id, ip },
    trace,
  };
  const of = { actor: { user_id: user.id, name: user.label }, team_id: asset.team.id };
  const beginning = worker().begin({
    id: keyed ?? id ?? randomUUIDv7(),
    kind,
    mutex: `${kind}:${randomUUIDv7()}`,
    input,
    ...of,
  });
  const run = await beginning.catch((error: unknown) => {
    // Another request with this key was first.
    if (keyed === undefined || errorCode(error) !== unique_violation) throw error;
    return { id: keyed, ended: endOf(ingress, keyed) };
  });
  if ('id' in run) return run;
  const whose = { max: 'This process executes', team: `${asset.team.name} has`, user: 'You have' }[run.full];
  throw new Problem('too_many_requests', {
    detail: `${whose} ${run_places[run.full]} runs of orchestrations ${run.full === 'max' ? 'already' : 'in this process'}, and no more are allowed.`,
    retry_after_seconds: 5,
  });
}

/** The caller would pay for an answer without the conversation (docs/decisions/0009). A member that has not said it may keep threads. */
async function refuseForgotten(db: Reader, ref: string, orchestration: Orchestration): Promise<void> {
  if (keepsThreads(await inputsIn(db, orchestration))) return;
  throw new Problem('threads_not_kept', {
    detail: `No member of ${ref} keeps threads, so there is no conversation to continue.`,
    errors: [{ pointer: '/thread_id', message: 'must be left out here' }],
  });
}

async function threadOf(
  db: Reader,
  orchestration: Orchestration,
  context_id: string | undefined,
): Promise<string | null> {
  if (context_id === undefined) return null;
  return keepsThreads(await inputsIn(db, orchestration)) ? context_id : null;
}

const look_again_ms = 500;

/** Waits for the end of a run that another request has begun. Resolves after the sync budget too. */
async function endOf({ db, stopping, sync_budget_ms }: Ingress, id: string): Promise<void> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(sync_budget_ms)]);
  while (!signal.aborted && (await findRun(db, id))?.ended_at === null)
    await sleep(look_again_ms, undefined, { signal }).catch(() => {}); // the loop ends
}

/** The id of the serving version. Throws the refusal, or `not_deployed`. */
export function requireCallable(user: SignedInCaller, asset: AssetRecord): string {
  authorize(user, 'asset.invoke', asset);
  if (asset.serving_version_id === null) throw notDeployed(asset);
  return asset.serving_version_id;
}

export const notDeployed = ({ ref, name }: AssetRecord) =>
  new Problem('not_deployed', {
    detail: `${ref} is not deployed.`,
    hint: `Run \`svc orchestration deploy ${name}\`.`,
  });

function withRun({ code, detail, hint, errors, fields }: Problem, run_id: string): Problem {
  return new Problem(code, { detail, errors, fields: { ...fields, run_id }, ...(hint === undefined ? {} : { hint }) });
}
