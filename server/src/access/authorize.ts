// The only maker of a Grant. Whatever changes something takes one, so that forgetting the decision does not compile.
import { Problem } from '@gantry/contract/problems.ts';
import type { Operation } from '@gantry/contract/roles.ts';
import type { Caller } from './caller.ts';
import { decide, type Allowed } from './decide.ts';
import type { Subject } from './subject.ts';

declare const made: unique symbol;

/** Proof that this caller may do this to that. A record of a decision, not a key: long work decides again before it acts. */
export interface Grant<O extends Operation = Operation> {
  readonly [made]: true;
  readonly operation: O;
  readonly caller: Caller;
  readonly subject: Subject;
  readonly because: string;
  readonly bypass: Allowed['bypass'];
}

/** A refusal that goes on the record: who was refused what, on what. */
export class Refusal extends Problem {
  readonly operation: Operation;
  readonly subject: Subject;

  constructor(
    problem: { code: Problem['code']; reason: string; hint?: string },
    operation: Operation,
    subject: Subject,
  ) {
    // What a stranger may not read gets the same answer as what is not there.
    const hidden = problem.code === 'not_found';
    super(
      problem.code,
      hidden ? {} : { detail: problem.reason, ...(problem.hint === undefined ? {} : { hint: problem.hint }) },
    );
    this.operation = operation;
    this.subject = subject;
  }
}

/** Throws a Refusal, or answers the Grant. */
export function authorize<O extends Operation>(caller: Caller, operation: O, subject: Subject): Grant<O> {
  const decision = decide(caller, operation, subject);
  if (!decision.allowed) throw new Refusal(decision, operation, subject);
  const grant: Omit<Grant<O>, typeof made> = {
    operation,
    caller,
    subject,
    because: decision.because,
    bypass: decision.bypass,
  };
  return grant as Grant<O>; // the brand exists only in types; this is the one place that puts it on
}
