// Conditions on a call of a tool, in CEL (https://cel.dev). A text is compiled and type-checked, and then decides any number of calls. Promises: the
// text reaches nothing but the facts of the call, and has a bounded size. An evaluation can still take long, so the service runs it in a thread
// with a deadline.
import { Environment, EvaluationError, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';

/** The facts of a call, as the texts read them. */
export interface CallFacts {
  args: Record<string, unknown>;
  tool: string;
  /** The name of the server. */
  server: string;
  /** Empty names when the caller itself makes the call. */
  agent: { name: string; team: string };
  /** The end caller. `name` is an e-mail address or a reference. */
  caller: { kind: 'user' | 'principal' | 'agent'; name: string; teams: string[] };
  now: Date;
  /** What the run has read so far, in all its agents. */
  run: { private_data: boolean; outside_text: boolean };
}

export type Condition = (facts: CallFacts) => boolean;

/** In characters. */
export const longest_expression = 2000;
const limits = { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 50, maxCallArguments: 10 };

const environment = new Environment({ limits })
  .registerVariable('args', 'map')
  .registerVariable('tool', 'string')
  .registerVariable('server', 'string')
  .registerVariable({ name: 'agent', schema: { name: 'string', team: 'string' } })
  .registerVariable({ name: 'caller', schema: { kind: 'string', name: 'string', teams: 'list<string>' } })
  .registerVariable({ name: 'run', schema: { private_data: 'bool', outside_text: 'bool' } })
  .registerVariable('now', 'google.protobuf.Timestamp');

/** Or the fault, as the end of a sentence. The condition throws `ConditionFailed`. */
export function compileCondition(text: string): { condition: Condition } | { fault: string } {
  try {
    if (text.length > longest_expression) return { fault: `has more than ${longest_expression} characters` };
    const parsed = environment.parse(text);
    const { valid, type, error } = parsed.check();
    if (!valid) throw error ?? new Error('it cannot be checked');
    // What depends on arguments alone has no type before the call.
    if (type !== 'bool' && type !== 'dyn') return { fault: `is a ${type}, and no condition` };
    return { condition: (facts) => decide(parsed, facts) };
  } catch (error) {
    return { fault: `is no CEL condition: ${placeOf(error)}` };
  }
}

/** The call has no such argument, or one of another type. The message says which. */
export class ConditionFailed extends Error {
  override name = 'ConditionFailed';
}

function decide(parsed: (facts: object) => unknown, facts: CallFacts): boolean {
  let value: unknown;
  try {
    value = parsed(facts);
  } catch (error) {
    throw new ConditionFailed(placeOf(error));
  }
  if (typeof value !== 'boolean') throw new ConditionFailed('its value is neither true nor false');
  return value;
}

function placeOf(error: unknown): string {
  if (error instanceof ParseError || error instanceof EvaluationError || error instanceof CelTypeError) {
    const at = error.range === undefined ? '' : ` (character ${error.range.start + 1})`;
    return `${oneLine(error.summary)}${at}`;
  }
  // Such as a stack that a deep value fills.
  return oneLine(error instanceof Error ? error.message : 'it failed');
}

/** The words can repeat what an agent sent. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, 200);
