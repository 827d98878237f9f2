// The answer of a member: its output, or why it has none.
import { Problem, type Fault, type ProblemCode } from '@gantry/contract/problems.ts';
import type { Answer } from '../../invoke/answer.ts';

/** As the answer of the run, a supervisor and a merge agent get it. */
export interface MemberError {
  /** The member's own, where it gave one. */
  code: string;
  detail: string;
  status: number;
  /** The path of the call that failed, inside a member that is an orchestration. */
  path?: string;
}

/** No fallback can help: they are about the run, or a person must act. */
export const ends_the_run: readonly ProblemCode[] = [
  'budget_exceeded',
  'call_loop',
  'cancelled',
  'forbidden',
  'member_changed',
  'member_waits',
  'not_found',
  'run_timeout',
];

export const max_answer_bytes = 1024 * 1024;

/** The output. Throws for every answer without one. */
export function readMemberAnswer(ref: string, { status, content_type, body }: Answer, is_callers: boolean): unknown {
  if (body.length > max_answer_bytes) throw failed(ref, `its answer is larger than ${max_answer_bytes / 1024 ** 2} MB`);
  if (content_type.startsWith('text/plain') && status === 200) return body.toString();
  const said = readJson(body);
  if (status !== 200) throw refused(ref, { ...asRefused(said), status }, is_callers);
  const { status: state, output, error } = (said ?? {}) as { status?: unknown; output?: unknown; error?: unknown };
  // A call that was followed has its failure inside its answer.
  if (state === 'failed' || state === 'cancelled')
    throw refused(ref, { detail: `its run ${state}`, ...asRefused(error) }, is_callers);
  if (output === undefined) throw failed(ref, 'its answer has no output');
  return output;
}

/** The thread of a call that has ended with a question to a person. */
export function threadThatWaits({ status, body }: Answer): string | undefined {
  const said = status === 200 ? readJson(body) : undefined;
  const { status: state, thread_id } = (said ?? {}) as { status?: unknown; thread_id?: unknown };
  return state === 'interrupted' && typeof thread_id === 'string' ? thread_id : undefined;
}

interface Refused {
  status?: unknown;
  code?: unknown;
  detail?: unknown;
  errors?: unknown;
}

const asRefused = (said: unknown): Refused => Object(said) as Refused; // every member is checked

function refused(ref: string, { status, code, detail, errors }: Refused, is_callers: boolean): Problem {
  const why = typeof detail === 'string' ? detail.slice(0, 1000) : `it answered with status ${String(status)}`;
  const own = {
    ...(typeof code === 'string' && { code: code.slice(0, 60) }),
    ...(typeof status === 'number' && { status }),
  };
  const { fields } = failed(ref, why, own);
  if (is_callers && code === 'invalid_input')
    return new Problem('invalid', { detail: `${ref} refuses the input: ${why}`, errors: faultsIn(errors), fields });
  return failed(ref, why, own);
}

const most_faults = 20;

/** The faults that the wrapper names. Each has its sentence in `detail`. */
function faultsIn(errors: unknown): Fault[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, most_faults).map((one: unknown) => {
    const { pointer, detail } = Object(one) as Record<string, unknown>; // both are checked here
    return { message: String(detail).slice(0, 1000), ...(typeof pointer === 'string' && { pointer }) };
  });
}

export function failed(ref: string, why: string, own: { code?: string; status?: number } = {}): Problem {
  const fields = {
    agent: ref,
    ...(own.code !== undefined && { member_code: own.code }),
    ...(own.status !== undefined && { member_status: own.status }),
  };
  return new Problem('member_failed', { detail: `${ref} failed: ${why}${why.endsWith('.') ? '' : '.'}`, fields });
}

/** The failure of a member that is an orchestration. It names the code, the status and the path of the call inside it that failed. */
export function failedInside(ref: string, problem: Problem, is_callers: boolean): Problem {
  const { code, status, path } = errorOf(problem);
  const isRefusal = problem.code === 'invalid';
  const { detail, fields } = failed(ref, problem.detail, { code: isRefusal ? 'invalid_input' : code, status });
  const at = { ...fields, ...(path !== undefined && { path }) };
  if (isRefusal && is_callers) return new Problem('invalid', { detail, errors: problem.errors, fields: at });
  return new Problem('member_failed', { detail, fields: at });
}

/** The same problem, with the path of the call where it has none. */
export function located(problem: Problem, at: string): Problem {
  const { code, detail, hint, errors, fields } = problem;
  if (typeof fields['path'] === 'string') return problem;
  const path = at;
  return new Problem(code, { detail, errors, fields: { ...fields, path }, ...(hint === undefined ? {} : { hint }) });
}

export function errorOf({ code, status, detail, fields: { member_code, member_status, path } }: Problem): MemberError {
  return {
    code: typeof member_code === 'string' ? member_code : code,
    detail,
    status: typeof member_status === 'number' ? member_status : status,
    ...(typeof path === 'string' && { path }),
  };
}

/** The status of a run that has no answer of its own. */
export function runStatusOf({ status, body }: Answer): unknown {
  const said = status === 503 ? readJson(body) : undefined;
  return (said as { run_status?: unknown } | undefined)?.run_status;
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
