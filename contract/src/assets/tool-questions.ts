// Questions of MCP servers to the person for whom a tool is called. A server can ask for a few plain values in a form. Its texts are hostile: they are shown
// as they are, never as markdown.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byId, id, json, paging, time } from '../wire.ts';

const member = { name: z.string(), title: z.string(), description: z.string(), is_required: z.boolean() };
const option = z.object({ value: z.string(), title: z.string() });

export const textFormats = ['email', 'uri', 'date', 'date-time'] as const;

export const questionField = z.discriminatedUnion('type', [
  z.object({
    ...member,
    type: z.literal('text'),
    format: z.enum(textFormats).nullable(),
    pattern: z.string().nullable(),
    min_length: z.number().nullable(),
    max_length: z.number().nullable(),
    default: z.string().nullable(),
  }),
  z.object({
    ...member,
    type: z.enum(['number', 'integer']),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
    default: z.number().nullable(),
  }),
  z.object({ ...member, type: z.literal('boolean'), default: z.boolean().nullable() }),
  z.object({ ...member, type: z.literal('choice'), options: z.array(option), default: z.string().nullable() }),
  z.object({
    ...member,
    type: z.literal('choices'),
    options: z.array(option),
    min_items: z.number().nullable(),
    max_items: z.number().nullable(),
    default: z.array(z.string()).nullable(),
  }),
]);
export type QuestionField = z.output<typeof questionField>;

/** By the name of the field. */
export const questionValues = z.record(
  z.string().max(200),
  z.union([z.string().max(20_000), z.number(), z.boolean(), z.array(z.string().max(1000)).max(200)]),
);
export type QuestionValues = z.output<typeof questionValues>;

export const waitingQuestion = z.object({
  id,
  server: z.string().describe('mcp-servers/<name>@<version>, which asks'),
  tool: z.string(),
  arguments: z.record(z.string(), json).describe('of the call in which it asks'),
  message: z.string(),
  fields: z.array(questionField),
  asks_for_secrets: z
    .boolean()
    .describe('the names of its fields are those of passwords, keys or cards, for which no server may ask'),
  agent: z.string().nullable().describe('agents/<name>, which makes the call; null: you make it yourself'),
  through: z.array(z.string()).describe('the assets between you and the call, the calling agent first'),
  asked_at: time,
  expires_at: time.describe('the question and its answer end then'),
});
export type WaitingQuestion = z.output<typeof waitingQuestion>;

export const toolQuestionsEndpoints = {
  'tool_questions.waiting': {
    method: 'GET',
    path: '/api/v1/tool-questions/waiting',
    summary: 'Questions of MCP servers that wait for your answer, in calls that are made for you',
    operation: 'inbox.read',
    query: z.strictObject({ ...paging }),
    reply: { kind: 'list', status: 200, schema: waitingQuestion },
    problems: ['bad_cursor', 'memory_damaged'],
  },
  'tool_questions.answer': {
    method: 'POST',
    path: '/api/v1/tool-questions/{id}/answer',
    summary:
      'Answer a question of an MCP server, or decline it. The server gets the values once, when the same call is made again',
    operation: 'tool_question.answer',
    params: byId,
    body: z.strictObject({
      action: z.enum(['accept', 'decline']),
      values: questionValues.optional().describe('with accept: by the names of the fields'),
    }),
    reply: { kind: 'data', status: 200, schema: waitingQuestion },
    problems: ['answer_refused', 'already_decided', 'memory_damaged'],
  },
} as const satisfies Record<string, Endpoint>;
