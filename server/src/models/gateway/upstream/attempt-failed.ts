import { Problem } from '@gantry/contract/problems.ts';
import type { Model } from '../model.ts';

/**
 * - `unsent` nothing was sent, so it costs nothing
 * - `busy` the upstream refused it for the moment: 408, 409, 429
 * - `refused` the upstream refused it: another 4xx
 * - `failed` it was sent, and no answer began; the upstream can have worked, and can bill it
 * - `broken` likewise, after the first byte
 * - `abandoned` its client has gone, and the answer took too long to count its usage
 */
type FailureKind = 'unsent' | 'busy' | 'refused' | 'failed' | 'broken' | 'abandoned';

interface FailureMore {
  kind: FailureKind;
  status?: number;
  retry_after_seconds?: number | undefined;
  /** The upstream says itself that it has not answered. */
  isBilled?: boolean;
  cause?: unknown;
}

/** An attempt without a usable answer. */
export class AttemptFailed extends Error {
  /** For the client. */
  readonly problem: Problem;
  readonly kind: FailureKind;
  /** The status of the upstream's answer. The answer's words can be about one client's request, so health keeps the status alone. */
  readonly status: number | undefined;
  /** The upstream's own wish. */
  readonly retry_after_seconds: number | undefined;

  readonly #isBilled: boolean;

  constructor(problem: Problem, { kind, status, retry_after_seconds, isBilled = true, cause }: FailureMore) {
    super(problem.detail, { cause });
    this.problem = problem;
    this.kind = kind;
    this.status = status;
    this.#isBilled = isBilled;
    this.retry_after_seconds = retry_after_seconds;
  }

  /** The upstream can bill it. */
  get canCost(): boolean {
    return this.#isBilled && ['failed', 'broken', 'abandoned'].includes(this.kind);
  }

  /** Another upstream may be tried. */
  get isRetried(): boolean {
    return this.kind === 'unsent' || this.kind === 'busy' || this.kind === 'failed';
  }
}

export function unavailable(
  { name }: Model,
  why: string,
  { hint, retry_after_seconds }: { hint?: string | undefined; retry_after_seconds?: number } = {},
): Problem {
  return new Problem('model_unavailable', {
    detail: `models/${name} does not answer: ${why}.`,
    hint: hint ?? `Look at it: \`svc model test ${name}\`.`,
    ...(retry_after_seconds === undefined ? {} : { retry_after_seconds }),
  });
}
