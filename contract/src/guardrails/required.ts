// Guardrails that the organisation requires of teams. They run beside those of an agent.yaml, which can only add to them.
import { z } from 'zod';
import { fieldsAt, type JsonSchema } from '../formats/json-schema.ts';
import { guardrail, guardrailOptions, withoutModel, type Guardrail } from '../guardrails.ts';
import { listOf } from '../formats/list-of.ts';
import { nearest } from '../nearest.ts';
import { json, name } from '../wire.ts';
import { guardrailNames, type GuardrailName } from './places.ts';

type Issue = z.core.$ZodIssue;

export const requiredGuardrail = z
  .strictObject({
    name: z.enum(guardrailNames, { error: ({ input }) => unknown('the name of a guardrail', input, guardrailNames) }),
    options: z.record(z.string(), json).optional().describe('As in agent.yaml'),
    teams: listOf(name, 200).min(1).optional().describe('Whose agents and keys it checks; unset: all'),
  })
  .superRefine(({ teams: _, ...given }, context) => {
    const read = guardrail.safeParse(given);
    for (const issue of read.error?.issues ?? []) for (const one of told(given, issue)) context.addIssue(one);
    // A key of a person has no agent whose model could judge.
    if (read.success && withoutModel([read.data]).length > 0)
      context.addIssue({ code: 'custom', path: ['options'], message: 'need `model`, which decides' });
  });
export type RequiredGuardrail = z.output<typeof requiredGuardrail>;

export const requiredGuardrails = listOf(requiredGuardrail, 50);

/** Those of a team; `team` is null for a key of the organisation. */
export function requiredOf(required: readonly RequiredGuardrail[], team: string | null): Guardrail[] {
  return required
    .filter(({ teams }) => teams === undefined || (team !== null && teams.includes(team)))
    .map(({ teams: _, ...given }) => given as Guardrail); // the setting was checked when it was stored
}

/** An unknown option has a place of its own, and the nearest known one. */
function told(given: { name: GuardrailName; options?: object | undefined }, issue: Issue): Told[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      code: 'custom',
      path: [...issue.path, key],
      message: unknown(`an option of ${given.name}`, key, fieldsAt(issue.path.slice(1), schemaOf(given.name))),
    }));
  if (given.options === undefined && issue.path[0] === 'options')
    return [{ code: 'custom', path: ['options'], message: `are needed: ${given.name} does nothing without` }];
  return [{ code: 'custom', path: [...issue.path], message: issue.message }];
}

type Told = {
  code: 'custom';
  path: PropertyKey[];
  message: string;
};

const schemaOf = (of: GuardrailName): JsonSchema =>
  z.toJSONSchema(guardrailOptions[of], { io: 'input', target: 'draft-7' });

function unknown(what: string, given: unknown, known: Iterable<string>): string {
  const meant = typeof given === 'string' ? nearest(given, known) : undefined;
  return `is not ${what}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
