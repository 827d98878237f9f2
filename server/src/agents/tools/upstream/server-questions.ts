// A server can ask the user something in the middle of a call. In the generation of 2025 it sends a request; which call asks is known from the stream on which
// the request comes, else from there being one call alone on a connection of one caller. What cannot be told apart is declined, so no question reaches
// another person. In the generation of 2026 the question is the answer to the call.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  isInputRequiredResult,
  type CallToolResult,
  type Client,
  type ElicitResult,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import type { ListedTool } from '../../../assets/registry/tool-lists/tool-list.ts';

interface AskedForm {
  message: string;
  requestedSchema: unknown;
}

export type FormAnswer = Pick<ElicitResult, 'action' | 'content'>;
export type Answerer = (form: AskedForm) => Promise<FormAnswer>;

export const declined: FormAnswer = { action: 'decline' };

export interface CallOnConnection {
  answer: Answerer;
  /** One was declined of which nobody knows whether this call asked it. */
  onDeclined: () => void;
}

/** `asking` makes the call; questions of the server in the meantime are of this call where that is certain. */
export type During = <T>(call: CallOnConnection, asking: () => Promise<T>) => Promise<T>;

/** The client has declared `elicitation` with forms alone, so it refuses what leads to an address. `isShared`: callers meet on this connection. */
export function serverQuestions(
  client: Client,
  { isShared, conceal }: { isShared: boolean; conceal: (text: string) => string },
): During {
  const open = new Set<CallOnConnection>();
  // The client reads the answer of a request where it was sent, and an answer can carry requests of the server.
  const asking_now = new AsyncLocalStorage<CallOnConnection>();
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const [only, ...others] = open;
    const call = asking_now.getStore() ?? (isShared || others.length > 0 ? undefined : only);
    if (call !== undefined && open.has(call)) return await call.answer(concealed(params, conceal));
    for (const one of open) one.onDeclined();
    return declined;
  });
  return async (call, asking) => {
    open.add(call);
    try {
      return await asking_now.run(call, asking);
    } finally {
      open.delete(call);
    }
  };
}

/** A server can ask with the credential that it was given. */
function concealed(params: unknown, conceal: (text: string) => string): AskedForm {
  const { message, requestedSchema } = params as AskedForm; // the client has read it by the schema of the protocol
  return JSON.parse(conceal(JSON.stringify({ message, requestedSchema }))) as AskedForm; // the same with other texts
}

const most_rounds = 10;

interface ToolOnServer {
  client: Client;
  conceal: (text: string) => string;
  tool: Pick<ListedTool, 'name' | 'inputSchema'>;
  arguments: Record<string, unknown>;
}

/** Undefined when the server asks something that is not answered yet. Throws what the client throws. */
export async function callAnswered(
  { client, conceal, tool: { name, inputSchema }, arguments: given }: ToolOnServer,
  answer: Answerer,
  options: RequestOptions,
): Promise<CallToolResult | undefined> {
  let more = {};
  for (let round = 0; round <= most_rounds; round++) {
    const result: unknown = await client.callTool(
      { name, arguments: given, ...more },
      // In the generation of 2026, a schema can name arguments that go out as headers too.
      {
        ...options,
        allowInputRequired: true,
        toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } },
      },
    );
    if (!isInputRequiredResult(result)) return result as CallToolResult; // the client has read it by the schema of the protocol
    const answers: Record<string, FormAnswer> = {};
    for (const [key, { method, params }] of Object.entries(result.inputRequests ?? {})) {
      if (method !== 'elicitation/create' || params.mode === 'url')
        throw new Error(`it asks for ${method}, which was not offered`);
      answers[key] = await answer(concealed(params, conceal));
    }
    if (Object.values(answers).some(({ action }) => action === 'cancel')) return undefined;
    more = { inputResponses: answers, ...(result.requestState !== undefined && { requestState: result.requestState }) };
  }
  throw new Error(`it still asks after ${most_rounds} answers`);
}
