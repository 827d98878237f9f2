// The condition of a route of a router: which inputs go to its target.
import { RE2JS } from 're2js';
import { z } from 'zod';
import { json } from '@gantry/contract/wire.ts';
import { jsonPointer } from './json-pointer.ts';

/**
 * - text: the input's text contains it, in any case; the text `default` is the route of all other inputs
 * - contains: the same, for the text `default` too
 * - regex: the input's text has a match, in RE2's syntax
 * - equals, at: this value is at this place of the input
 */
export type Condition =
  | string
  | { contains: string }
  | { regex: string }
  | { equals: z.core.util.JSONType; at: string };

export const default_condition = 'default';

const searched = z.string().min(1).max(500);

/** One map in place of a union, so that a fault is about the given field. */
const conditionMap = z
  .strictObject({
    contains: searched.optional().describe('Matches an input with this text, in any case'),
    regex: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Matches an input with a match of this pattern, in the syntax of RE2'),
    equals: json.optional().describe('Matches an input with this value at `at`'),
    at: jsonPointer.optional().describe('The place in the input, as a JSON pointer'),
  })
  .superRefine(({ contains, regex, equals, at }, context) => {
    const fault = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    const given = [contains, regex, equals].filter((value) => value !== undefined).length;
    if (given !== 1) fault([], 'must have one of `contains`, `regex` and `equals`');
    else if (equals !== undefined && at === undefined) fault(['at'], 'is missing; `equals` needs it');
    else if (equals === undefined && at !== undefined) fault(['at'], 'belongs to `equals`');
  })
  .transform((map) => map as Exclude<Condition, string>); // the refinement leaves these forms

export const condition = z.union([searched, conditionMap]);

/** Counted repeats make a short pattern a large program. The largest took 330 ms to compile on one slow core. */
const most_instructions = 5000;

/** The patterns that RE2 does not take, by their index. A too large one ends the check. */
export function patternFaults(patterns: readonly string[]): { index: number; message: string }[] {
  const faults: { index: number; message: string }[] = [];
  let instructions = 0;
  for (const [index, pattern] of patterns.entries()) {
    try {
      instructions += RE2JS.compile(pattern).programSize();
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
      faults.push({ index, message: `is not a pattern of RE2: ${reason}` });
    }
    if (instructions > most_instructions)
      return [...faults, { index, message: 'makes the patterns too large; use fewer counted repeats' }];
  }
  return faults;
}
