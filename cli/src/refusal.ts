// The client's own refusals, before or without a request to the server. The server's refusals are `Problem`s.
import type { Fault } from '@gantry/contract/problems.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { Next } from './result.ts';
import type { View } from './view/view.ts';

export interface RefusalMore {
  hint?: string;
  exit?: ExitCode;
  next?: Next[];
  /** Listed below the sentence, and in the problem document. */
  faults?: Fault[];
  /** Shown below the sentence. */
  view?: View;
  person_must_act?: boolean;
  /** The problem document for programs, when it has more than code and sentence. */
  problem?: Record<string, unknown>;
}

export class CliRefusal extends Error {
  readonly code: string;
  readonly more: RefusalMore;

  constructor(code: string, sentence: string, more: RefusalMore = {}) {
    super(sentence);
    this.name = 'CliRefusal';
    this.code = code;
    this.more = more;
  }
}

/** A wrong command line: exit 2. */
export function misuse(sentence: string, hint?: string): CliRefusal {
  return new CliRefusal('misused', sentence, { exit: exitCodes.misused, ...(hint === undefined ? {} : { hint }) });
}
