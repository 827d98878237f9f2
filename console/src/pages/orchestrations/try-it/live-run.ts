// One run as the events of its stream (AG-UI) tell it. Events that this page does not know are left out.
import type { OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { Problem, readProblem } from '@gantry/contract/problems.ts';
import { memberIn, type Call } from '../calls/calls.ts';

export interface LiveRun {
  /** The id that this page gives the run. */
  id: string;
  run_id: string | undefined;
  /** `waiting`: for a person. The stream ends then, and the run goes on. */
  state: 'running' | 'waiting' | 'done' | 'partial' | 'failed' | 'cancelled';
  calls: readonly Call[];
  notices: readonly string[];
  output?: OrchestrationRun['output'];
  error?: unknown;
}

/** Its members are checked where they are used. */
export type RunStreamEvent = Record<string, unknown> & { type?: unknown };

/** `at` is the time of the event, in ISO 8601. */
export function applyEvent(run: LiveRun, event: RunStreamEvent, at: string): LiveRun {
  const path = textOf(event['stepName']);
  switch (event.type) {
    case 'STEP_STARTED':
      return { ...run, calls: [...run.calls.filter((call) => call.path !== path), begunCall(path, at)] };
    case 'STEP_FINISHED':
      return changeCall(run, path, ({ state, problem }) =>
        state === 'waiting' ? {} : { state: problem === null ? 'done' : 'failed', ended_at: at },
      );
    case 'CUSTOM':
      return applyCustom(run, textOf(event['name']), event['value']);
    case 'RUN_FINISHED': {
      const { status, output } = membersOf(event['result']);
      if (status === 'waiting')
        return {
          ...run,
          state: 'waiting',
          notices: [...run.notices, 'It waits for a person. The inbox has the question.'],
        };
      // The service checks its own answers.
      return { ...run, state: status === 'partial' ? 'partial' : 'done', output: output as LiveRun['output'] };
    }
    case 'RUN_ERROR': {
      const told = { code: event['code'], detail: event['message'] };
      if (told.code === 'cancelled') return { ...run, state: 'cancelled' };
      const error = readProblem(told) ?? new Problem('agent_error', { detail: textOf(told.detail) });
      return { ...run, state: 'failed', error };
    }
    default:
      return run;
  }
}

function applyCustom(run: LiveRun, name: string, value: unknown): LiveRun {
  if (name === 'notice') return { ...run, notices: [...run.notices, textOf(value)] };
  const { step, agent, version, digest, run_id, text, problem } = membersOf(value);
  if (name === 'member')
    return changeCall(run, textOf(step), () => ({
      agent: textOf(agent) || null,
      version: textOf(version) || null,
      digest: textOf(digest) || null,
      run_id: textOf(run_id) || null,
      answer: textOf(text),
    }));
  if (name === 'member_waits') return changeCall(run, textOf(step), () => ({ state: 'waiting' }));
  if (name === 'member_failed') return changeCall(run, textOf(step), () => ({ problem: membersOf(problem) }));
  return run;
}

function begunCall(path: string, at: string): Call {
  return {
    path,
    member: memberIn(path),
    state: 'running',
    started_at: at,
    ended_at: null,
    agent: null,
    version: null,
    digest: null,
    answer: null,
    problem: null,
  };
}

function changeCall(run: LiveRun, path: string, change: (call: Call) => Partial<Call>): LiveRun {
  return { ...run, calls: run.calls.map((call) => (call.path === path ? { ...call, ...change(call) } : call)) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
