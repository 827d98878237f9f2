// One connection to an MCP server, in the generation of the protocol that the server speaks: to an address, or over the streams of a hosted program.
import {
  Client,
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { Problem } from '@gantry/contract/problems.ts';
import { DestinationRefused } from '../../../ground/outbound/outbound.ts';
import { version as ownVersion } from '../../../ground/version.ts';
import type { ServerConfig } from '../../../assets/registry/tool-lists/server-config.ts';
import { toolList, type ToolList } from '../../../assets/registry/tool-lists/tool-list.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import type { ToolParts } from '../parts.ts';
import { authorizedFetch, type Credential } from './authorized-fetch.ts';
import { listPrompts } from './list-prompts.ts';
import { outboundFetch } from './outbound-fetch.ts';
import { serverQuestions, type During } from './server-questions.ts';

/** A version of a server. */
export interface Upstream {
  /** mcp-servers/<name> */
  ref: string;
  asset: AssetRecord;
  version: string;
  config: ServerConfig;
}

export interface ServerConnection {
  client: Client;
  /** For the work of a call, which the server can interrupt with questions to the user. */
  during: During;
  /** Asked anew when the last answer is older than this. */
  list(no_older_than_ms: number): Promise<ToolList>;
  /** The text without the credentials that this connection has sent. */
  conceal: (text: string) => string;
  close(): Promise<void>;
}

const connect_ms = 15_000;
const list_ms = 30_000;
const most_pages = 20;
const most_tools = 500;
const most_list_bytes = 1024 * 1024;

type ConnectParts = Pick<ToolParts, 'outbound' | 'onError'>;

/** To a server with an address. Throws `not_callable`, `server_unavailable`, or the refusal of the credential. */
export async function connect(
  parts: ConnectParts,
  { upstream, credential, signal }: { upstream: Upstream; credential: Credential; signal: AbortSignal },
): Promise<ServerConnection> {
  const { url, transport } = upstream.config;
  if (url === undefined)
    throw new Problem('not_callable', { detail: `${upstream.ref} is a program (\`transport: stdio\`).` });
  const { fetch, conceal } = authorizedFetch(outboundFetch(parts.outbound), credential);
  const address = new URL(url);
  const wire =
    transport === 'sse'
      ? // oxlint-disable-next-line typescript/no-deprecated -- `transport: sse` of a config means these older servers
        new SSEClientTransport(address, { fetch })
      : new StreamableHTTPClientTransport(address, { fetch });
  return await connectOver({ upstream, wire, conceal, timeout_ms: connect_ms, onError: parts.onError }, signal);
}

interface Connecting {
  upstream: Upstream;
  wire: Transport;
  conceal: ServerConnection['conceal'];
  /** What a hosted server runs. */
  image?: string;
  /** Callers meet on it. */
  isShared?: boolean;
  timeout_ms: number;
  onError: (error: unknown) => void;
}

/** Throws `server_unavailable`. */
export async function connectOver(
  { upstream, wire, conceal, image, isShared = false, timeout_ms, onError }: Connecting,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const work = async <T>(asked: () => Promise<T>) => await named({ upstream, conceal }, asked);
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
  const during = serverQuestions(client, { isShared, conceal });
  await work(async () => await client.connect(wire, { timeout: timeout_ms, signal }));
  let listed: { at: number; list: ToolList } | undefined;
  return {
    client,
    conceal,
    during,
    list: async (no_older_than_ms) => {
      if (listed !== undefined && !isStale && performance.now() - listed.at <= no_older_than_ms) return listed.list;
      isStale = false;
      const at = performance.now();
      const { tools } = await work(
        async () => await client.listTools(undefined, { cacheMode: 'bypass', timeout: list_ms }),
      );
      if (tools.length > most_tools) throw unusable(upstream, `It lists more than ${most_tools} tools.`);
      const prompts = await work(async () => await listPrompts(client, list_ms));
      const list = toolList(tools, { prompts, image });
      if (JSON.stringify(list).length > most_list_bytes)
        throw unusable(upstream, `Its list of tools and prompts is larger than ${most_list_bytes} bytes.`);
      listed = { at, list };
      return list;
    },
    close: async () => await client.close().catch(onError),
  };
}

/** The failure of the work as a refusal that names the server. */
export async function named<T>(
  { upstream, conceal }: { upstream: Upstream; conceal: ServerConnection['conceal'] },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [problem] = [error, error instanceof Error ? error.cause : undefined].filter((one) => one instanceof Problem);
    if (problem !== undefined) throw problem;
    const { detail } = unusable(upstream, conceal(reasonOf(error)));
    throw error instanceof ProtocolError
      ? new AnsweredWithError(detail, error.code)
      : new Problem('server_unavailable', { detail });
  }
}

/** The server works, and its answer is an error of the protocol. */
export class AnsweredWithError extends Problem {
  /** Of the protocol. */
  readonly protocol_code: number;

  constructor(detail: string | undefined, protocol_code: number) {
    super('server_unavailable', { detail });
    this.protocol_code = protocol_code;
  }
}

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
