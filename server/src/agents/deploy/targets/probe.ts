import { Problem } from '@gantry/contract/problems.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { fetch, type Dispatcher } from 'undici';
import { unlessAborted } from '../../../assets/docker/client.ts';
import { raiseLimit } from '../../../assets/workshop/raise-limit.ts';
import { readObject } from './read-object.ts';
import { startHint } from './start-hint.ts';
import { masked, maskedJson } from './mask.ts';
import type { Instance, LogLine, Place, Reach, Secrets, Target } from './target.ts';

export interface ProbeInput {
  target: Target;
  place: Place;
  /** The values of these are masked in all that the agent says. */
  secrets: Secrets;
  /** The timeout of one probe; by default five seconds, as in the spec. */
  probe_timeout_ms?: number;
  /** The limit of the whole start. */
  deadline_ms?: number;
  onProbe?: (probe: Probe) => void;
  /** The connections for an instance that dials in. Undefined for one with an address. */
  dispatcherOf?: (url: string) => Dispatcher | undefined;
  signal: AbortSignal;
}

interface Probe {
  at: string;
  path: '/health' | '/ready';
  /** The HTTP status, or the reason for its absence. */
  result: number | string;
  duration_ms: number;
}

/**
 * Waits until the new revision answers /health, and then /ready twice in a row. Throws `health_check_failed`, `out_of_memory`, or
 * `start_failed` with the agent's own reason: the import error and its traceback. Each problem has the probes and the last 50 log lines.
 * `ready` is the agent's own answer: hostile input.
 */
export async function waitUntilReady({
  target,
  place,
  secrets,
  ...input
}: ProbeInput): Promise<Instance & { ready: object }> {
  const { deadline_ms = 120_000, probe_timeout_ms = 5000, signal } = input;
  const deadline = performance.now() + deadline_ms;
  const probes: Probe[] = [];
  const mask = masked(Object.values(secrets).filter((value) => value !== undefined));
  const fail = async (problem: ProbeAnswer): Promise<never> => {
    throw new Problem(problem.code, {
      detail: problem.detail,
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
      fields: { ...problem.fields, probes: probes.slice(-50), log: await lastLines(target, place, secrets) },
    });
  };
  let readyInARow = 0;
  let first_url: string | undefined;
  for (let isHealthy = false; ;) {
    const instance = await target.observe(place, signal);
    if (instance.not_limited === true)
      throw new Problem('egress_not_enforced', { detail: `The target does not start the agent: ${instance.obstacle}` });
    if (instance.state === 'created' && target.dials_in === 'as one of many' && performance.now() < deadline) {
      await unlessAborted(delay(100), signal);
      continue;
    }
    if (instance.state !== 'running' || instance.url === undefined) return fail(ended(instance));
    // A platform replaces a replica at once. Another process means that the first one has ended.
    if (target.dials_in === 'as one of many' && instance.url !== (first_url ??= instance.url))
      return fail(ended({ ...instance, state: 'exited' }));
    const path = isHealthy ? '/ready' : '/health';
    const { probe, body: said } = await probeOnce(
      { ...(await target.reach(place, instance.url)), dispatcher: input.dispatcherOf?.(instance.url) },
      path,
      Math.min(probe_timeout_ms, Math.max(1, deadline - performance.now())),
      signal,
    );
    const body = maskedJson(said, mask);
    probes.push(probe);
    input.onProbe?.(probe);
    if (probe.result === 200 && path === '/ready' && ++readyInARow === 2) return { ...instance, ready: body };
    // /health gives only the failure. /ready gives its reason.
    if (path === '/ready' && said.status === 'failed') return fail(refused(body));
    if (path === '/ready' && probe.result !== 200) readyInARow = 0;
    if (performance.now() >= deadline) return fail(late(probes.slice(-2), deadline_ms));
    if (probe.result === 200 && path === '/health') isHealthy = true;
    else await unlessAborted(delay(probe.result === 200 ? 20 : 100), signal);
  }
}

interface ProbeAnswer {
  code: 'start_failed' | 'health_check_failed' | 'out_of_memory';
  detail: string;
  /** By default the hint in the table of problems. */
  hint?: string;
  fields?: Record<string, unknown>;
}

function ended({ exit_code, out_of_memory, state, obstacle }: Instance): ProbeAnswer {
  if (obstacle !== undefined)
    return { code: 'start_failed', detail: `The target does not start the agent. It says: ${obstacle}` };
  if (out_of_memory) return { code: 'out_of_memory', detail: 'The agent ran out of memory during its start' };
  return {
    code: 'start_failed',
    detail:
      state === 'exited' ? `The container exited with ${exit_code ?? 'an unknown code'}` : 'The container is missing',
    hint: 'Read its last log lines, if any. Correct the fault, then run `svc deploy` again.',
  };
}

function refused(body: Record<string, unknown>): ProbeAnswer {
  const { reason } = body;
  const sentence =
    typeof reason === 'object' && reason !== null && 'message' in reason && typeof reason.message === 'string'
      ? reason.message
      : 'The agent could not be loaded';
  return { code: 'start_failed', detail: sentence, fields: { reason }, hint: startHint(reason) };
}

/** Reads the last two probes, because the deadline may cut the last one. */
function late(last: readonly Probe[], deadline_ms: number): ProbeAnswer {
  const seconds = Math.round(deadline_ms / 1000);
  if (last.some(({ result }) => typeof result === 'number'))
    return {
      code: 'start_failed',
      detail: `The agent did not load within ${seconds} s`,
      hint: `Move slow work from module level into the calls, then run \`svc deploy\` again. ${raiseLimit('START_DEADLINE_SECONDS')}`,
    };
  const { path, result } = last.at(-1) ?? { path: '/health', result: 'no answer' };
  return {
    code: 'health_check_failed',
    detail: `The agent did not answer ${path} within ${seconds} s (${result})`,
    hint: `Reduce the work at module level, or raise deploy.resources.cpu in agent.yaml. Then run \`svc deploy\` again. ${raiseLimit('START_DEADLINE_SECONDS')}`,
  };
}

async function probeOnce(
  { url, headers, dispatcher }: Reach & { dispatcher: Dispatcher | undefined },
  path: Probe['path'],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ probe: Probe; body: Record<string, unknown> }> {
  const at = new Date();
  const began = performance.now();
  const probed = (result: Probe['result']): Probe => ({
    at: at.toISOString(),
    path,
    result,
    duration_ms: Math.round(performance.now() - began),
  });
  try {
    const response = await fetch(url + path, {
      headers,
      redirect: 'manual',
      ...(dispatcher && { dispatcher }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeoutMs))]),
    });
    const body = await readObject(response.body);
    return { probe: probed(response.status), body };
  } catch (error) {
    signal.throwIfAborted();
    return { probe: probed(reasonOf(error)), body: {} };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return 'timed out';
  return error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : error.message;
}

async function lastLines(target: Target, place: Place, secrets: Secrets): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of target.logs(place, { tail: 50, secrets, signal: AbortSignal.timeout(10_000) }))
    lines.push(line);
  return lines;
}
