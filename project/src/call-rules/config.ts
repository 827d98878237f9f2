// What a config says about calls of tools: rules on their arguments, which of them a person approves, and tests of both. The config of an MCP server and the entry of a server in
// agent.yaml have the same fields.
import { z } from 'zod';
import { identifier, toolName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { json, text } from '@gantry/contract/wire.ts';
import { compileCondition, longest_expression } from './expression.ts';

const condition = z
  .string()
  .min(1)
  .max(longest_expression)
  .superRefine((written, context) => {
    const compiled = compileCondition(written);
    if ('fault' in compiled) context.addIssue({ code: 'custom', message: compiled.fault });
  });

const onlyTools = listOf(toolName, 100).min(1).optional().describe('Only for these tools; unset: for all');

const rule = z
  .strictObject({
    name: identifier.describe('In refusals and in the log'),
    tools: onlyTools,
    allow: condition.optional().describe('Every call for which this is not true is refused'),
    deny: condition.optional().describe('Every call for which this is not false is refused'),
    because: text.min(1).describe('The sentence that the agent and its people read in a refusal'),
  })
  .refine(({ allow, deny }) => (allow === undefined) !== (deny === undefined), {
    error: 'needs `allow` or `deny`, and not both',
  });
export type CallRule = z.output<typeof rule>;

const ruleTest = z
  .strictObject({
    call: z.strictObject({
      tool: toolName,
      args: z.record(z.string(), json).default({}),
      agent: z
        .strictObject({ name: z.string().max(200).default('an-agent'), team: z.string().max(200).default('a-team') })
        .optional(),
      caller: z
        .strictObject({
          kind: z.enum(['user', 'principal', 'agent']).default('user'),
          name: z.string().max(200).default('someone@example.com'),
          teams: z.array(z.string().max(200)).max(100).default([]),
        })
        .optional(),
      now: z.iso.datetime({ offset: true }).optional().describe('Unset: the time of the test'),
      run: z
        .strictObject({ private_data: z.boolean().default(false), outside_text: z.boolean().default(false) })
        .optional()
        .describe('What the run has read before'),
    }),
    refuses: identifier.optional().describe('The rule that refuses the call'),
    waits: z.literal(true).optional().describe('No rule refuses the call, and a person must approve it'),
    allows: z.literal(true).optional().describe('No rule refuses the call, and nobody must approve it'),
  })
  .refine(({ call: _, ...expected }) => Object.values(expected).filter((one) => one !== undefined).length === 1, {
    error: 'needs one of `refuses`, `waits` and `allows`',
  });
export type RuleTest = z.output<typeof ruleTest>;

const approval = z.strictObject({
  tools: onlyTools,
  when: condition.optional().describe('A person approves the calls for which this is not false; unset: every call'),
  by_other: z.boolean().optional().describe('true: nobody approves a call that an agent makes for them'),
  hours: z
    .int()
    .min(1)
    .max(168)
    .optional()
    .describe('How long a call waits, and its approval counts; unset: 24. Of several the shortest counts'),
});
export type CallApproval = z.output<typeof approval>;

const most_rules = 50;

const rules = z
  .array(rule)
  .max(most_rules)
  .superRefine((list, context) => {
    for (const [index, { name }] of list.entries())
      if (list.findIndex((one) => one.name === name) < index)
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: 'is the name of an earlier rule',
          params: { finding: 'duplicate_entry' },
        });
  });

export const callPolicyFields = {
  rules: rules
    .optional()
    .describe(
      'Conditions on calls, in CEL over args, tool, server, agent, caller, run and now. A call passes each of them, or is refused',
    ),
  approve: z
    .array(approval)
    .max(most_rules)
    .optional()
    .describe(
      'Calls that wait for a person: an admin of the team of the server. Each approval is for one call with these arguments',
    ),
  rule_tests: z
    .array(ruleTest)
    .max(100)
    .optional()
    .describe('Calls, and what the rules must decide about them. A push with a failing test is refused'),
};

export interface CallPolicy {
  rules?: CallRule[] | undefined;
  approve?: CallApproval[] | undefined;
  rule_tests?: RuleTest[] | undefined;
}
