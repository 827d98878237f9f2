// Prompts and resources at the door, beside the tools. The agent's own prompts are at `/mcp` by their keys. Prompts are pinned as tools are, so their list needs no server. Resources come and go, so their lists are
// those of the servers now, and an agent has them only where its agent.yaml says `resources: true`.
import type {
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/client';
import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server';
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import { Refusal } from '../../governance/access/authorize.ts';
import type { RecordRefusal } from '../../governance/access/refused.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { callablePrompts } from '../../assets/registry/tool-lists/pinned-servers.ts';
import type { ListedPrompt } from '../../assets/registry/tool-lists/tool-list.ts';
import { getMcpPrompt, listMcpPrompts } from '../prompts/mcp-prompts.ts';
import { askServer, type AskedOfServer } from './ask-server.ts';
import { usableFor, type UsableServer } from './find-tools.ts';
import { innerName, outerName } from './outer-names.ts';
import type { ToolParts } from './parts.ts';
import { printRefused, retryOf } from '../../governance/http/mcp/print-refused.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { innerUri, outerUri, withOuterContents, withOuterUris } from './resource-uris.ts';
import { AnsweredWithError } from './upstream/connect.ts';

interface Asking {
  caller: AgentCaller;
  /** The only server. Undefined: all of them. */
  server?: string;
  trace: TraceContext;
}

interface ContextParts extends ToolParts {
  recordRefusal: RecordRefusal;
}

export function serveContext(parts: ContextParts, { server }: McpServer, asking: Asking): void {
  server.setRequestHandler('prompts/list', async () => ({
    prompts: [
      ...(asking.server === undefined ? await listMcpPrompts(parts.db, asking.caller) : []),
      ...((await listPrompts(parts, asking)) as Prompt[]),
    ],
  }));
  server.setRequestHandler('prompts/get', async ({ params }, { mcpReq }) =>
    refusing(parts, asking, async () => await getPrompt(parts, asking, { ...params, signal: mcpReq.signal })),
  );
  server.setRequestHandler('resources/list', async (_, { mcpReq }) =>
    refusing(parts, asking, async () => {
      const of = await listed<{ resources: Resource[] }>(parts, asking, {
        what: 'resources/list',
        signal: mcpReq.signal,
        ask: async ({ client }, _given, options) => {
          const { resources } = await client.listResources(undefined, { ...options, cacheMode: 'bypass' });
          return { resources };
        },
      });
      return {
        resources: of.flatMap(({ name, answer }) =>
          answer.resources.map((one) => ({ ...one, uri: outerUri(name, one.uri) })),
        ),
      };
    }),
  );
  server.setRequestHandler('resources/templates/list', async (_, { mcpReq }) =>
    refusing(parts, asking, async () => {
      const of = await listed<{ resourceTemplates: ResourceTemplateType[] }>(parts, asking, {
        what: 'resources/templates/list',
        signal: mcpReq.signal,
        ask: async ({ client }, _given, options) => {
          const { resourceTemplates } = await client.listResourceTemplates(undefined, {
            ...options,
            cacheMode: 'bypass',
          });
          return { resourceTemplates };
        },
      });
      return {
        resourceTemplates: of.flatMap(({ name, answer }) =>
          answer.resourceTemplates.map((one) => ({ ...one, uriTemplate: outerUri(name, one.uriTemplate) })),
        ),
      };
    }),
  );
  server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) =>
    refusing(parts, asking, async () => await readResource(parts, asking, { uri: params.uri, signal: mcpReq.signal }), {
      uri: params.uri,
    }),
  );
}

async function listPrompts({ db }: ContextParts, asking: Asking): Promise<ListedPrompt[]> {
  const lists = await Promise.all(
    (await usableFor(db, asking)).map(async ({ server }) => {
      const prompts = await callablePrompts(db, server);
      return prompts.map((one) => ({ ...one, name: outerName(asking, server.name, one.name) }));
    }),
  );
  return lists.flat();
}

async function getPrompt(
  parts: ContextParts,
  asking: Asking,
  {
    name,
    arguments: given = {},
    signal,
  }: { name: string; arguments?: Record<string, string> | undefined; signal: AbortSignal },
): Promise<GetPromptResult> {
  const named = innerName(asking, name);
  if (named === undefined) return await getMcpPrompt(parts, { ...asking, key: name, arguments: given });
  const usable = (await usableFor(parts.db, asking)).find(({ server }) => server.name === named.server);
  const pinned = usable && (await callablePrompts(parts.db, usable.server)).find((one) => one.name === named.name);
  if (usable === undefined || pinned === undefined)
    throw new Problem('not_found', {
      detail: `There is no prompt ${name} that was pinned when the agent was pushed.`,
      hint: 'Its owner pins it, and then the agent is pushed and deployed again: svc mcp pin',
    });
  const result = await askServer<GetPromptResult>(parts, {
    ...asking,
    usable,
    what: `prompts/get ${pinned.name}`,
    arguments: given,
    signal,
    require: async (connection) =>
      await requireUnchanged(parts, connection, usable, {
        pinned,
        among: ({ prompts }) => prompts,
        says: (ref) => `${ref} has changed its prompt ${pinned.name} since its list was pinned, or has it no longer.`,
      }),
    ask: async ({ client }, args, options) =>
      // The guardrails keep texts as texts.
      await client.getPrompt({ name: pinned.name, arguments: args as Record<string, string> }, options),
  });
  const of = asking.server === undefined ? usable.server.name : undefined;
  return { ...result, messages: result.messages.map((one) => ({ ...one, content: withOuterUris(of, one.content) })) };
}

async function readResource(
  parts: ContextParts,
  asking: Asking,
  { uri: given, signal }: { uri: string; signal: AbortSignal },
): Promise<ReadResourceResult> {
  const inner = asking.server === undefined ? innerUri(given) : { server: asking.server, uri: given };
  const usable = (await readable(parts, asking)).find(({ server }) => server.name === inner?.server);
  if (usable === undefined || inner === undefined)
    throw new Problem('not_found', {
      detail: 'The agent may read no resource at this address.',
      hint: 'Its agent.yaml needs `resources: true` at a server, and at /mcp an address begins with <server>+.',
    });
  const result = await askServer<ReadResourceResult>(parts, {
    ...asking,
    usable,
    what: 'resources/read',
    arguments: { uri: inner.uri },
    signal,
    ask: async ({ client }, { uri }, options) =>
      await client.readResource({ uri: String(uri) }, { ...options, cacheMode: 'bypass' }),
  });
  return withOuterContents(asking.server === undefined ? inner.server : undefined, result);
}

/** Of each server. At `/mcp`, one that fails leaves the others: its row and its span say that it did. */
async function listed<Answer extends object>(
  parts: ContextParts,
  asking: Asking,
  question: Pick<AskedOfServer<Answer>, 'what' | 'signal' | 'ask'>,
): Promise<{ name: string | undefined; answer: Answer }[]> {
  const asked = (await readable(parts, asking)).map(async (usable) => {
    const answer = await askServer(parts, { ...asking, ...question, usable, arguments: {} });
    return { name: asking.server === undefined ? usable.server.name : undefined, answer };
  });
  const settled = await Promise.allSettled(asked);
  const failed = settled.filter((one) => one.status === 'rejected');
  const [first] = failed;
  const isOnly = failed.length === settled.length || failed.some(({ reason }) => !(reason instanceof Problem));
  if (first !== undefined && isOnly) throw first.reason;
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

async function readable({ db }: ContextParts, asking: Asking): Promise<UsableServer[]> {
  return (await usableFor(db, asking)).filter(({ server }) => server.reads_resources);
}

/** A server of 2025 has a code of its own for a missing resource. */
const missing_codes: readonly number[] = [ProtocolErrorCode.InvalidParams, -32_002];

function protocolCodeOf(error: Problem): ProtocolErrorCode {
  const isMissing =
    error.code === 'not_found' || (error instanceof AnsweredWithError && missing_codes.includes(error.protocol_code));
  return isMissing ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InvalidRequest;
}

/** These methods have no result that says why, so a refusal is an error of the protocol. */
async function refusing<Answer>(
  parts: ContextParts,
  { caller }: Asking,
  work: () => Promise<Answer>,
  about: { uri?: string } = {},
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error instanceof Refusal) await parts.recordRefusal(caller, error);
    throw new ProtocolError(protocolCodeOf(error), printRefused(error), {
      ...about,
      'gantry/problem': error.code,
      ...retryOf(error),
    });
  }
}
