// A strategy gives the next calls of an orchestration, or its answer, from the calls that have ended. It is pure: after a crash it decides
// the same again. Must never happen: an answer that no member gave.
import type { OrchestrationConfig } from '@gantry/contract/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Json } from '../orchestration-run.ts';

export type Strategy = (story: Story) => Next;

/** The run as far as it is known. */
export interface Story {
  config: OrchestrationConfig;
  /** The caller's. */
  input: Input;
  members: ReadonlyMap<string, MemberFacts>;
  /** By the path of the call. */
  ended: ReadonlyMap<string, Outcome>;
}

export interface Input {
  value: unknown;
  text: string;
}

export interface MemberFacts {
  description: string;
  input_schema: Record<string, unknown> | null;
}

export type Outcome = { status: 'done'; text: string; output: Json } | { status: 'failed'; reason: string };

export interface Call {
  /** Unique in the run. Its last part, after a colon, is the member. */
  path: string;
  member: string;
  /** A text is put into the input of the member (`into`). Another value is the whole input. */
  input: unknown;
  /** With `on_error: continue`, the run goes on without it. The failure of any other call ends the run. */
  may_fail?: true;
}

/** Calls begin at once, side by side. Those that have ended are ignored. */
export type Next = { calls: readonly Call[] } | { answer: { text: string | null; state: 'done' | 'partial' } };

/** One call with the caller's own input. */
export function firstCall(member: string, { value }: Input): Call {
  return { path: member, member, input: value };
}

/** The same for one of several workers. */
export function workerCall(member: string, input: Input): Call {
  return { ...firstCall(member, input), may_fail: true };
}

/** Undefined while a call has not ended. */
export function outcomesOf({ ended }: Story, calls: readonly Call[]): { call: Call; outcome: Outcome }[] | undefined {
  const found = calls.flatMap((call) => {
    const outcome = ended.get(call.path);
    return outcome === undefined ? [] : [{ call, outcome }];
  });
  return found.length === calls.length ? found : undefined;
}

/** The text of a call that may not fail. */
export function textOf(outcome: Outcome): string {
  if (outcome.status === 'failed') throw new Error('the run went on after a call that may not fail');
  return outcome.text;
}

/** The end after calls that may fail. One of them at least has an answer. */
export function stateAfter(outcomes: readonly { outcome: Outcome }[]): 'done' | 'partial' {
  const failed = outcomes.filter(({ outcome }) => outcome.status === 'failed').length;
  if (failed === outcomes.length) throw new Problem('member_failed', { detail: 'Every member has failed.' });
  return failed > 0 ? 'partial' : 'done';
}
