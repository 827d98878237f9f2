// A strategy gives the next calls of an orchestration, or its answer, from the calls that have ended. It is pure: after a crash it decides
// the same again. Must never happen: an answer that no member gave.
import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Json } from '../runs/orchestration-run.ts';
import type { MemberError } from '../members/read-member-answer.ts';

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

/** `partial`: of an orchestration that went on without some of its members. */
export type Outcome =
  | { status: 'done' | 'partial'; text: string; output: Json }
  | { status: 'failed'; error: MemberError };

export interface Call {
  /** Unique in the run. Its last part, after a colon, is the member. */
  path: string;
  member: string;
  /** A text is put into the input of the member (`into`). Another value is the whole input. */
  input: unknown;
  /** The input is the caller's, as it came. */
  is_callers?: true;
  /** With `on_error: continue`, the run goes on without it. The failure of any other call ends the run. */
  may_fail?: true;
}

/** Calls begin at once, side by side. Those that have ended are ignored. */
export type Next = { calls: readonly Call[] } | { answer: { text: string | null; state: 'done' | 'partial' } };

/** One call with the caller's own input. */
export function firstCall(member: string, { value }: Input): Call {
  return { path: member, member, input: value, is_callers: true };
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

/** What a member is told about a call. */
export function toldOf(outcome: Outcome): object {
  return outcome.status === 'failed' ? outcome : { status: outcome.status, output: outcome.output };
}

/** The end after calls that may fail. One of them at least has an answer. */
export function stateAfter(outcomes: readonly { outcome: Outcome }[]): 'done' | 'partial' {
  const errors = outcomes.flatMap(({ outcome }) => (outcome.status === 'failed' ? [outcome.error] : []));
  if (errors.length < outcomes.length) return errors.length > 0 ? 'partial' : 'done';
  if (errors.every(({ code }) => code === 'invalid_input'))
    throw new Problem('invalid', { detail: errors.map(({ detail }) => detail).join(' ') });
  throw new Problem('member_failed', { detail: 'Every member has failed.' });
}
