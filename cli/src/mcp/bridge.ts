// The service as an MCP server over stdio: each line is one message, which goes to `/mcp` with the token of this session. So a coding agent has the rights of
// its person, and the service alone decides. Tools about a project on this machine are answered here.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Problem } from '@gantry/contract/problems.ts';
import type { Session } from '../session/session.ts';
import { messagesOf, type Message } from './rpc.ts';
import { projectTools, runProjectTool } from './project-tools.ts';

type Id = string | number;

/** Resolves when the input has ended and all its requests are answered. */
export async function bridge(session: Session, input: Readable): Promise<void> {
  const open = new Map<Id, AbortController>();
  const working = new Set<Promise<void>>();
  for await (const text of createInterface({ input, signal: session.signal })) {
    if (text.trim() === '') continue;
    const message = read(text);
    if (message === undefined) {
      tell(session, failure(null, -32700, 'The line is not a JSON object.'));
      continue;
    }
    if (message['method'] === 'notifications/cancelled') {
      open.get((message['params'] as { requestId?: Id } | undefined)?.requestId ?? '')?.abort();
      continue;
    }
    const ending = new AbortController();
    const id = idOf(message);
    if (id !== undefined) open.set(id, ending);
    const signal = AbortSignal.any([ending.signal, session.signal]);
    const work: Promise<void> = answer(session, message, signal).finally(() => {
      if (id !== undefined) open.delete(id);
      working.delete(work);
    });
    working.add(work);
  }
  await Promise.all(working);
}

async function answer(session: Session, message: Message, signal: AbortSignal): Promise<void> {
  const id = idOf(message);
  const params = (message['params'] ?? {}) as Params; // each member is checked where it is used
  const isModern = params._meta?.[version_member] !== undefined;
  try {
    const own = message['method'] === 'tools/call' ? await runProjectTool(session, params, signal) : undefined;
    if (own !== undefined) return tell(session, { jsonrpc: '2.0', id, result: { ...complete(isModern), ...own } });
    const answered = await session.call(
      'mcp.all',
      { body: Buffer.from(JSON.stringify(message)) },
      { signal, headers: headersFor(message, params) },
    );
    for await (const one of messagesOf(answered))
      tell(session, message['method'] === 'tools/list' ? withOwn(one) : one);
  } catch (error) {
    if (id === undefined || signal.aborted) return;
    tell(session, failure(id, -32603, error instanceof Problem ? sentenceOf(error) : String(error)));
  }
}

interface Params {
  name?: unknown;
  arguments?: unknown;
  _meta?: Record<string, unknown>;
}

const version_member = 'io.modelcontextprotocol/protocolVersion';
const complete = (isModern: boolean) => (isModern ? { resultType: 'complete' } : {});

/** A message of the newer generation says these in its headers too. */
function headersFor({ method }: Message, { name, _meta = {} }: Params): Record<string, string> {
  const version = _meta[version_member];
  if (typeof version !== 'string') return {};
  return {
    'mcp-protocol-version': version,
    'mcp-method': String(method),
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}

function withOwn(message: Message): Message {
  const { tools, ...more } = (message['result'] ?? {}) as { tools?: unknown };
  if (!Array.isArray(tools)) return message;
  return { ...message, result: { ...more, tools: [...(tools as unknown[]), ...projectTools] } };
}

function read(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

function idOf({ id, method }: Message): Id | undefined {
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
}

const failure = (id: Id | null, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } });
const sentenceOf = ({ detail, hint }: Problem) => (hint === undefined ? detail : `${detail}. ${hint}`);

/** A line is printable ASCII. */
function tell(session: Session, message: object): void {
  const text = JSON.stringify(message);
  session.output.line(text.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`));
}
