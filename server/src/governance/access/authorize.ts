// Only this file creates Grants. Every change takes a Grant, so code without a decision does not compile.
import { Problem } from '@gantry/contract/problems.ts';
import type { Operation } from '@gantry/contract/roles.ts';
import type { Caller } from './caller.ts';
import { decide, type Allowed } from './decide.ts';
import type { Subject } from './subject.ts';

declare const made: unique symbol;

/** The record of a decision: this caller may do this operation on this subject. Long work decides again before it acts. */
export interface Grant<O extends Operation = Operation> {
  readonly [made]: true;
  readonly operation: O;
  readonly caller: Caller;
  readonly subject: Subject;
  readonly because: string;
  readonly bypass: Allowed['bypass'];
}

/** A refusal that the audit log records, with caller, operation and subject. */
export class Refusal extends Problem {
  readonly operation: Operation;
  readonly subject: Subject;

  constructor(
    problem: { code: Problem['code']; reason: string; hint?: string },
    operation: Operation,
    subject: Subject,
  ) {
    // A hidden subject gets the same answer as a missing one.
    const hidden = problem.code === 'not_found';
    super(
      problem.code,
      hidden ? {} : { detail: problem.reason, ...(problem.hint === undefined ? {} : { hint: problem.hint }) },
    );
    this.operation = operation;
    this.subject = subject;
  }
}

/** Throws a Refusal if the decision is no. */
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
  return grant as Grant<O>; // the brand exists only in types, and only this line sets it
}
