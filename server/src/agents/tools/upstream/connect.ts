// One connection to an MCP server, in the generation of the protocol that the server speaks: to an address, or over the streams of a hosted program.
import {
  Client,
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { mcpServer } from '@gantry/project/asset-config/mcp-server.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { z } from 'zod';
import { DestinationRefused } from '../../../ground/outbound/outbound.ts';
import { version as ownVersion } from '../../../ground/version.ts';
import { toolList, type ToolList } from '../../../assets/registry/tool-lists/tool-list.ts';
import type { ToolParts } from '../parts.ts';
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

/** To a server with an address. Throws `not_callable` or `server_unavailable`. */
export async function connect(parts: ConnectParts, upstream: Upstream, signal: AbortSignal): Promise<ServerConnection> {
  const { url, transport } = upstream.config;
  if (url === undefined)
    throw new Problem('not_callable', { detail: `${upstream.ref} is a program (\`transport: stdio\`).` });
  const headers = await credential(parts, upstream);
  const options = { fetch: outboundFetch(parts.outbound), requestInit: { headers } };
  const address = new URL(url);
  const wire =
    transport === 'sse'
      ? // oxlint-disable-next-line typescript/no-deprecated -- `transport: sse` of a config means these older servers
        new SSEClientTransport(address, options)
      : new StreamableHTTPClientTransport(address, options);
  return await connectOver({ upstream, wire, timeout_ms: connect_ms, onError: parts.onError }, signal);
}

interface Connecting {
  upstream: Upstream;
  wire: Transport;
  /** What a hosted server runs. */
  image?: string;
  timeout_ms: number;
  onError: (error: unknown) => void;
}

/** Throws `server_unavailable`. */
export async function connectOver(
  { upstream, wire, image, timeout_ms, onError }: Connecting,
  signal: AbortSignal,
): Promise<ServerConnection> {
  let isStale = false;
  const client = new Client(
    { name: 'gantry', version: ownVersion },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      listMaxPages: most_pages,
      // The schemas come from outside. The service compares them with the pinned ones, and compiles none of them here.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
      listChanged: { tools: { onChanged: () => (isStale = true), autoRefresh: false } },
    },
  );
  await named(upstream, async () => await client.connect(wire, { timeout: timeout_ms, signal }));
  let listed: { at: number; list: ToolList } | undefined;
  return {
    client,
    list: async (no_older_than_ms) => {
      if (listed !== undefined && !isStale && performance.now() - listed.at <= no_older_than_ms) return listed.list;
      isStale = false;
      const at = performance.now();
      const { tools } = await named(
        upstream,
        async () => await client.listTools(undefined, { cacheMode: 'bypass', timeout: list_ms }),
      );
      if (tools.length > most_tools) throw unusable(upstream, `It lists more than ${most_tools} tools.`);
      const list = toolList(tools, image);
      if (JSON.stringify(list.tools).length > most_list_bytes)
        throw unusable(upstream, `Its list of tools is larger than ${most_list_bytes} bytes.`);
      listed = { at, list };
      return list;
    },
    close: async () => await client.close().catch(onError),
  };
}

async function credential(parts: ConnectParts, upstream: Upstream): Promise<Record<string, string>> {
  const { secret } = upstream.config;
  if (secret === undefined) return {};
  const { [secret]: value } = await teamSecrets(parts, upstream, [secret]);
  return { authorization: `Bearer ${value}` };
}

/** The values of these secrets of the server's team. Throws `server_unavailable` for one that is not set. */
export async function teamSecrets(
  { db, readCredentials }: Pick<ConnectParts, 'db' | 'readCredentials'>,
  { ref, team_id, team }: Upstream,
  names: readonly string[],
): Promise<Record<string, string>> {
  const values = names.length === 0 ? new Map<string, string>() : await readCredentials(db, team_id, names);
  return Object.fromEntries(
    names.map((name) => {
      const value = values.get(name);
      if (value === undefined || value === '')
        throw new Problem('server_unavailable', {
          detail: `${ref} needs the secret ${name} of team ${team}, which is not set.`,
          hint: `A team admin sets it: svc secret set ${name} --team ${team}`,
        });
      return [name, value];
    }),
  );
}

/** The failure of the work as a refusal that names the server. */
export async function named<T>(upstream: Upstream, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { detail } = unusable(upstream, reasonOf(error));
    throw new (error instanceof ProtocolError ? AnsweredWithError : Problem)('server_unavailable', { detail });
  }
}

/** The server works, and its answer is an error of the protocol. */
export class AnsweredWithError extends Problem {}

export function unusable({ ref, config }: Upstream, reason: string, fields: Record<string, unknown> = {}): Problem {
  const where = config.package ?? `at ${config.url ?? 'no address'}`;
  return new Problem('server_unavailable', { detail: `${ref} ${where} does not work: ${reason}`, fields });
}

const longest_reason = 300;

/** One line: the other side can have written it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  const cause = [error, error.cause].find((one) => one instanceof DestinationRefused) ?? error;
  return cause.message.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, longest_reason);
}
