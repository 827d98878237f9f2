// An agent as one tool: what a client reads of it, and the call of the agent that its arguments mean.
import type { Tool } from '@modelcontextprotocol/server';
import { Problem } from '@gantry/contract/problems.ts';
import { textIntoInput } from '@gantry/project/input/text-into-input.ts';
import { isJson } from '../../models/gateway/wires/wire.ts';
import type { Description } from '../deploy/read-description.ts';

interface Described extends Pick<Description, 'input_schema' | 'keeps_threads'> {
  name: string;
  description: string;
}

const message = { type: 'string', description: 'What you say to the agent' };
const thread_id = {
  type: 'string',
  description: 'Continues this conversation. Each result names its own; leave it out to begin a new one.',
};

type Properties = NonNullable<Tool['inputSchema']['properties']>;

/** An agent that takes one text has a `message`, and any other an `input`. */
export function describeTool({ name, description, input_schema, keeps_threads }: Described): Tool {
  const given: Properties = takesText(input_schema) ? { message } : { input: inputOf(input_schema) };
  return {
    name,
    description: description === '' ? `Calls the agent ${name}` : description,
    inputSchema: {
      type: 'object',
      properties: { ...given, ...(keeps_threads && { thread_id }) },
      required: Object.keys(given),
      ...sharedOf(input_schema),
    },
  };
}

/** What is sent to the agent. Throws `invalid`. */
export function bodyFor(
  { name, input_schema, keeps_threads }: Described,
  { message: said, input, thread_id: thread, ...more }: Record<string, unknown>,
): { input: unknown; thread_id?: string } {
  const [other] = Object.keys(more);
  if (other !== undefined) throw wrong(name, `there is no argument ${other.slice(0, 100)}`);
  if (thread !== undefined && (typeof thread !== 'string' || !keeps_threads))
    throw wrong(name, keeps_threads ? 'thread_id must be a text' : 'it keeps no conversations, so leave thread_id out');
  const in_thread = typeof thread === 'string' ? { thread_id: thread } : {};
  if (!takesText(input_schema)) {
    if (!isJson(input)) throw wrong(name, 'input must be an object');
    return { input, ...in_thread };
  }
  if (typeof said !== 'string') throw wrong(name, 'message must be a text');
  return { input: textIntoInput(input_schema, said), ...in_thread };
}

function wrong(name: string, fault: string): Problem {
  return new Problem('invalid', { detail: `The arguments of ${name}: ${fault}.` });
}

const takesText = (schema: unknown) => textIntoInput(schema, '') !== undefined;

const shared = ['$defs', 'definitions'] as const;

function inputOf(schema: Record<string, unknown> | null): Properties[string] {
  if (schema === null) return { type: 'object' };
  const { $defs: _, definitions: __, ...own } = schema;
  return { type: 'object', ...own };
}

/** References within a schema lead to its root. */
function sharedOf(schema: Record<string, unknown> | null): object {
  if (schema === null || takesText(schema)) return {};
  return Object.fromEntries(shared.flatMap((name) => (name in schema ? [[name, schema[name]]] : [])));
}
