// The answer of an endpoint's checks before the endpoint is called. The checks are the endpoint's own, so both give the same answer.
import type { Permitted } from '@gantry/contract/can.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Operation } from '@gantry/contract/roles.ts';
import { Refusal } from './authorize.ts';
import type { Caller } from './caller.ts';
import { decide } from './decide.ts';
import type { Subject } from './subject.ts';

/** The decision on the operation of each endpoint. `depending` has the operations that depend on the input. */
export function can<Name extends EndpointName>(
  caller: Caller,
  subject: Subject,
  names: readonly Name[],
  depending: Partial<Record<Name, Operation>> = {},
): Record<Name, Permitted> {
  const each = names.map((name) => [name, may(caller, depending[name] ?? endpoints[name].operation, subject)] as const);
  return Object.fromEntries(each) as Record<Name, Permitted>; // one member for each name
}

/** `check` throws the refusal of the endpoint. It changes nothing. */
export async function passes(check: () => unknown): Promise<Permitted> {
  try {
    await check();
    return { allowed: true };
  } catch (error) {
    if (error instanceof Problem) return refusedWith(error);
    throw error;
  }
}

function may(caller: Caller, operation: Operation, subject: Subject): Permitted {
  const decision = decide(caller, operation, subject);
  return decision.allowed ? { allowed: true } : refusedWith(new Refusal(decision, operation, subject));
}

function refusedWith({ detail, hint }: Problem): Permitted {
  const ask = commandIn(hint);
  return { allowed: false, reason: detail, ...(ask === undefined ? {} : { ask }) };
}

/** A hint has its command in backticks, or after its colon. */
function commandIn(hint = ''): string | undefined {
  const [, quoted, last] = /`(svc [^`]+)`|: (svc .+)$/.exec(hint) ?? [];
  return quoted ?? last;
}
