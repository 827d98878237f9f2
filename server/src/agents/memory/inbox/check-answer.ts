// An answer against what was asked, before it reaches the run. langgraph stores an answer before the agent's code sees it, and gives the code the same one
// again with each later answer. So an answer that the code fails on would end the thread.
import { answersTo, faultIn } from '@gantry/contract/agents/asked-actions.ts';
import type { Interrupt } from '@gantry/contract/agents/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { compileSchema } from '../../../models/guardrails/compile-schema.ts';

/** A container has made the schema, and compiling takes time. */
const longest_schema = 64 * 1024;

/** Throws `answer_refused`. Nothing is checked of a question in free form. */
export function checkAnswer(interrupts: readonly Interrupt[], value: unknown): void {
  const fault = faultIn(interrupts, value);
  if (fault !== undefined) throw new Problem('answer_refused', { detail: fault });
  const answers = answersTo(interrupts, value);
  // The graph has its own rule for several questions without ids.
  if (typeof answers === 'string') return;
  for (const [{ response_schema }, answer] of answers) checkSchema(response_schema, answer);
}

function checkSchema(schema: unknown, answer: unknown): void {
  const check = compiled(schema);
  if (check === undefined || check(answer)) return;
  // Of several forms, the one that the answer means fits furthest.
  const [fault] = (check.errors ?? []).toSorted((a, b) => depthOf(b) - depthOf(a));
  const { instancePath = '', message = 'does not fit' } = fault ?? {};
  throw new Problem('answer_refused', {
    detail: `${instancePath === '' ? 'The answer' : instancePath.slice(0, 200)} ${message.slice(0, 200)}.`,
  });
}

const depthOf = ({ instancePath }: { instancePath: string }) => instancePath.split('/').length;

/** Undefined for one that cannot be read: the graph checks answers by itself. */
function compiled(schema: unknown) {
  if (typeof schema !== 'object' || schema === null || JSON.stringify(schema).length > longest_schema) return undefined;
  try {
    return compileSchema(schema);
  } catch {
    return undefined;
  }
}
