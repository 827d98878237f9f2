import { Problem } from '@gantry/contract/problems.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { unlessAborted } from '../../engine/client.ts';
import { readObject } from './read-object.ts';
import { startHint } from './start-hint.ts';
import type { Instance, LogLine, Place, Target } from './target.ts';

export interface ProbeInput {
  target: Target;
  place: Place;
  /** Of one probe: the spec's five seconds. */
  probe_timeout_ms?: number;
  /** Of the whole start. */
  deadline_ms?: number;
  onProbe?: (probe: Probe) => void;
  signal: AbortSignal;
}

interface Probe {
  at: string;
  path: '/health' | '/ready';
  /** The HTTP status, or why there is none. */
  result: number | string;
  duration_ms: number;
}

/**
 * Waits until the new revision answers /health, and then /ready twice in a row. Throws `health_check_failed`, `start_failed` (with the
 * agent's own reason: the import error and its traceback), `out_of_memory`; each carries the probes and the last 50 lines of the log.
 * `ready` is what the agent said of itself: hostile input.
 */
export async function waitUntilReady({ target, place, ...input }: ProbeInput): Promise<Instance & { ready: object }> {
  const { deadline_ms = 120_000, probe_timeout_ms = 5000, signal } = input;
  const deadline = performance.now() + deadline_ms;
  const probes: Probe[] = [];
  const fail = async (problem: ProbeAnswer): Promise<never> => {
    throw new Problem(problem.code, {
      detail: problem.detail,
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
      fields: { ...problem.fields, probes: probes.slice(-50), log: await lastLines(target, place) },
    });
  };
  let readyInARow = 0;
  for (let isHealthy = false; ;) {
    const instance = await target.observe(place, signal);
    if (instance.state !== 'running' || instance.url === undefined) return fail(ended(instance));
    const path = isHealthy ? '/ready' : '/health';
    const { probe, body } = await probeOnce(
      instance.url,
      path,
      Math.min(probe_timeout_ms, Math.max(1, deadline - performance.now())),
      signal,
    );
    probes.push(probe);
    input.onProbe?.(probe);
    if (probe.result === 200 && path === '/ready' && ++readyInARow === 2) return { ...instance, ready: body };
    // /health says only that it failed; why, is what /ready answers.
    if (path === '/ready' && body.status === 'failed') return fail(refused(body));
    if (path === '/ready' && probe.result !== 200) readyInARow = 0;
    if (performance.now() >= deadline) return fail(late(probes.slice(-2), deadline_ms));
    if (probe.result === 200 && path === '/health') isHealthy = true;
    else await unlessAborted(delay(probe.result === 200 ? 20 : 100), signal);
  }
}

interface ProbeAnswer {
  code: 'start_failed' | 'health_check_failed' | 'out_of_memory';
  detail: string;
  /** Without one, that of the table of problems. */
  hint?: string;
  fields?: Record<string, unknown>;
}

function ended({ exit_code, out_of_memory, state }: Instance): ProbeAnswer {
  if (out_of_memory) return { code: 'out_of_memory', detail: 'The agent ran out of memory while it started' };
  return {
    code: 'start_failed',
    detail: state === 'exited' ? `The container exited with ${exit_code}` : 'The container is gone',
    hint: 'Its last log lines are shown where it left any. Correct what they name, then run `svc deploy` again.',
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

/** Of the last two, because the deadline cuts the last one short. */
function late(last: readonly Probe[], deadline_ms: number): ProbeAnswer {
  const seconds = Math.round(deadline_ms / 1000);
  if (last.some(({ result }) => typeof result === 'number'))
    return {
      code: 'start_failed',
      detail: `The agent was not loaded within ${seconds} s`,
      hint: 'Move long work from module level into the calls, then run `svc deploy` again.',
    };
  const { path, result } = last.at(-1) ?? { path: '/health', result: 'no answer' };
  return {
    code: 'health_check_failed',
    detail: `${path} was not answered within ${seconds} s (${result})`,
    hint: 'Do less at module level, or raise deploy.resources.cpu in agent.yaml; then run `svc deploy` again.',
  };
}

async function probeOnce(
  url: string,
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
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeoutMs))]),
    });
    const body = await readObject(response);
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

async function lastLines(target: Target, place: Place): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of target.logs(place, { tail: 50, signal: AbortSignal.timeout(10_000) })) lines.push(line);
  return lines;
}
