// A request in the form of AG-UI (ag-ui.com/spec/1.0/basic/run-input). It has all messages of a thread, and answers to what its last run asked.
import { z } from 'zod';
import { inLangchainForm } from '@gantry/contract/agents/files/print-file-part.ts';
import { readFilePart } from '@gantry/contract/agents/files/file-part.ts';
import { threadName } from '@gantry/contract/agents/memory.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { isJson, listOf, type Json } from '../../../models/gateway/wires/wire.ts';
import { parseJson } from '../../../governance/http/request/body.ts';
import { parseExactly } from '../../../models/guardrails/json-texts.ts';

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
const toolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['user', 'system', 'developer']), id: z.string(), content }),
  z.looseObject({
    role: z.literal('assistant'),
    id: z.string(),
    content: content.optional(),
    toolCalls: z.array(toolCall).optional(),
  }),
  z.looseObject({ role: z.literal('tool'), id: z.string(), content, toolCallId: z.string() }),
  // What a client shows, which is no part of the conversation.
  z.looseObject({ role: z.enum(['activity', 'reasoning']), id: z.string() }),
]);
const entry = z.looseObject({
  interruptId: z.string().max(512),
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown().optional(),
});
const shape = z.looseObject({
  threadId: threadName,
  runId: z.string().min(1).max(512),
  protocolVersion: z
    .string()
    .regex(/^1\.\d+$/, 'must be a version 1 of the protocol')
    .optional(),
  messages: z.array(message),
  resume: z.array(entry).optional(),
});
export type RunInput = z.output<typeof shape>;
type Message = RunInput['messages'][number];

/** Undefined for a body in the service's own form. Throws `invalid` for a malformed one. */
export function readRunInput(body: Uint8Array): RunInput | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // A large input takes long to parse, and its own form has no such member.
  if (!text.includes('"runId"') || !text.includes('"threadId"')) return undefined;
  const read = parseJson(body, parseExactly);
  if (!isJson(read) || !('runId' in read && 'threadId' in read) || 'input' in read) return undefined;
  const { data, error } = shape.safeParse(read);
  if (data !== undefined) return data;
  throw new Problem('invalid', {
    errors: error.issues.map(({ path, message: said }) => ({ pointer: `/${path.join('/')}`, message: said })),
  });
}

/**
 * As a graph of langgraph takes them. A message keeps its id, so a thread that has it gets it no second time. `lists_files`: the agent.yaml says which
 * files the agent takes, so each of them goes on to be checked.
 */
export function messagesOf({ messages }: RunInput, { lists_files }: { lists_files: boolean }): Json[] {
  const part = lists_files ? filePartOf : partOf;
  return messages.flatMap((one) => messageOf(one, (given) => contentOf(given, part)));
}

type Content = z.output<typeof content>;

function messageOf(one: Message, contentFor: (given: Content) => string | Json[]): Json[] {
  switch (one.role) {
    case 'user':
    case 'system':
    case 'developer':
      return [{ id: one.id, role: one.role, content: contentFor(one.content) }];
    case 'assistant': {
      const tool_calls = one.toolCalls?.map(({ id, function: { name, arguments: given } }) => ({
        id,
        type: 'function',
        function: { name, arguments: given },
      }));
      return [
        { id: one.id, role: one.role, content: contentFor(one.content ?? ''), ...(tool_calls && { tool_calls }) },
      ];
    }
    case 'tool':
      return [{ id: one.id, role: one.role, content: contentFor(one.content), tool_call_id: one.toolCallId }];
    default:
      return [];
  }
}

/** Texts alone become one text: most agents read only that. A part that agents cannot use is left out, as the protocol says. */
function contentOf(given: Content, part: (one: Json) => Json[]): string | Json[] {
  if (typeof given === 'string') return given;
  const parts = given.flatMap(part);
  return parts.some(({ type }) => type !== 'text') ? parts : parts.map(({ text }) => text).join('\n');
}

function partOf({ type, text, source }: Json): Json[] {
  if (type === 'text' && typeof text === 'string') return [{ type, text }];
  if (type !== 'image' || !isJson(source) || typeof source['value'] !== 'string') return [];
  const { mimeType, value } = source;
  if (source['type'] === 'url') return [{ type: 'image_url', image_url: { url: value } }];
  if (source['type'] !== 'data' || typeof mimeType !== 'string') return [];
  return [{ type: 'image_url', image_url: { url: `data:${mimeType};base64,${value}` } }];
}

function filePartOf(part: Json): Json[] {
  return readFilePart(part) === undefined ? partOf(part) : [inLangchainForm(part)];
}

/** The last text of the user. */
export function lastText({ messages }: RunInput): string {
  const last = messages.findLast(({ role }) => role === 'user');
  const said = last === undefined || !('content' in last) ? '' : last.content;
  if (typeof said === 'string') return said;
  return listOf(said)
    .flatMap((part) => (isJson(part) && typeof part['text'] === 'string' ? part['text'] : []))
    .join('\n');
}

/**
 * Answers to what the last run asked: the only one, or each by the id of its question. Undefined when the client has abandoned all of them: then
 * the run begins anew.
 */
export function answersOf({ resume = [] }: RunInput): { resume: unknown } | undefined {
  const answered = resume.filter(({ status }) => status === 'resolved');
  const [only] = answered;
  if (only === undefined) return undefined;
  if (resume.length === 1) return { resume: only.payload ?? null };
  return { resume: Object.fromEntries(answered.map(({ interruptId, payload }) => [interruptId, payload ?? null])) };
}
