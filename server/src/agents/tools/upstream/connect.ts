// One connection to an MCP server, in the generation of the protocol that the server speaks.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { mcpServer } from '@gantry/project/asset-config/mcp-server.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { z } from 'zod';
import { DestinationRefused } from '../../../ground/outbound/outbound.ts';
import { version as ownVersion } from '../../../ground/version.ts';
import { toolList, type ToolList } from '../../../assets/registry/tool-lists/tool-list.ts';
import type { ToolParts } from '../parts.ts';
import { declineQuestions } from './decline-questions.ts';
import { listPrompts } from './list-prompts.ts';
import { outboundFetch } from './outbound-fetch.ts';

export type ServerConfig = z.output<typeof mcpServer>;

/** A version of a server, and the team whose secrets it names. */
export interface Upstream {
  /** mcp-servers/<name> */
  ref: string;
  team_id: string;
  team: string;
  config: ServerConfig;
}

export interface ServerConnection {
  client: Client;
  /** How many questions to the user were declined on it. */
  declined(): number;
  /** Asked anew when the last answer is older than this. */
  list(no_older_than_ms: number): Promise<ToolList>;
  close(): Promise<void>;
}

const connect_ms = 15_000;
const list_ms = 30_000;
const most_pages = 20;
const most_tools = 500;
const most_list_bytes = 1024 * 1024;

type ConnectParts = Pick<ToolParts, 'db' | 'outbound' | 'readCredentials' | 'onError'>;

/** Throws `not_callable` or `server_unavailable`. */
export async function connect(parts: ConnectParts, upstream: Upstream, signal: AbortSignal): Promise<ServerConnection> {
  const { url, transport } = upstream.config;
  if (url === undefined)
    throw new Problem('not_callable', { detail: `${upstream.ref} is a program (\`transport: stdio\`).` });
  const headers = await credential(parts, upstream);
  let isStale = false;
  const client = new Client(
    { name: 'gantry', version: ownVersion },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
      listMaxPages: most_pages,
      // The schemas come from outside. The service compares them with the pinned ones, and compiles none of them here.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
      listChanged: {
        tools: { onChanged: () => (isStale = true), autoRefresh: false },
        prompts: { onChanged: () => (isStale = true), autoRefresh: false },
      },
    },
  );
  const declined = declineQuestions(client);
  const options = { fetch: outboundFetch(parts.outbound), requestInit: { headers } };
  const address = new URL(url);
  const wire =
    transport === 'sse'
      ? // oxlint-disable-next-line typescript/no-deprecated -- `transport: sse` of a config means these older servers
        new SSEClientTransport(address, options)
      : new StreamableHTTPClientTransport(address, options);
  await named(upstream, async () => await client.connect(wire, { timeout: connect_ms, signal }));
  let listed: { at: number; list: ToolList } | undefined;
  return {
    client,
    declined,
    list: async (no_older_than_ms) => {
      if (listed !== undefined && !isStale && performance.now() - listed.at <= no_older_than_ms) return listed.list;
      isStale = false;
      const at = performance.now();
      const { tools } = await named(
        upstream,
        async () => await client.listTools(undefined, { cacheMode: 'bypass', timeout: list_ms }),
      );
      if (tools.length > most_tools) throw unusable(upstream, `It lists more than ${most_tools} tools.`);
      const prompts = await named(upstream, async () => await listPrompts(client, list_ms));
      const list = toolList(tools, prompts);
      if (JSON.stringify(list).length > most_list_bytes)
        throw unusable(upstream, `Its list of tools and prompts is larger than ${most_list_bytes} bytes.`);
      listed = { at, list };
      return list;
    },
    close: async () => await client.close().catch(parts.onError),
  };
}

async function credential(
  { db, readCredentials }: ConnectParts,
  { ref, team_id, team, config: { secret } }: Upstream,
): Promise<Record<string, string>> {
  if (secret === undefined) return {};
  const value = (await readCredentials(db, team_id, [secret])).get(secret);
  if (value === undefined || value === '')
    throw new Problem('server_unavailable', {
      detail: `${ref} needs the secret ${secret} of team ${team}, which is not set.`,
      hint: `A team admin sets it: svc secret set ${secret} --team ${team}`,
    });
  return { authorization: `Bearer ${value}` };
}

/** The failure of the work as a refusal that names the server. */
export async function named<T>(upstream: Upstream, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw unusable(upstream, reasonOf(error));
  }
}

function unusable({ ref, config: { url } }: Upstream, reason: string): Problem {
  return new Problem('server_unavailable', { detail: `${ref} at ${url ?? 'no address'} does not work: ${reason}` });
}

const longest_reason = 300;

/** One line: the other side can have written it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  const cause = [error, error.cause].find((one) => one instanceof DestinationRefused) ?? error;
  return cause.message.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, longest_reason);
}
