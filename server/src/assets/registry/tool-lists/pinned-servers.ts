// The MCP servers of a version of an agent. Promise: a tool is callable only if the version's push saw its name pinned, and its text is the one that is
// pinned now. So neither a new tool nor a changed one reaches an agent without a person.
import { LRUCache } from 'lru-cache';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { CallPolicy } from '@gantry/project/call-rules/config.ts';
import { parseAnyRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Pin } from '../content.ts';
import * as contents from '../content-store.ts';
import { agentConfigOf, loadVersionSummary } from '../versions/load-version-content.ts';
import type { ListedPrompt, ListedTool, ToolList } from './tool-list.ts';
import * as store from '../tool-list-store.ts';

export interface ServerOfAgent {
  name: string;
  /** mcp-servers/<name>@<version>, as agent.yaml names it. */
  ref: string;
  asset_id: string;
  version: string;
  config: Record<string, unknown>;
  /** The names that were pinned at the push. Undefined: none were, or the push is older than pins. */
  pushed: ReadonlySet<string> | undefined;
  /** The names of the prompts that were pinned at the push. */
  pushed_prompts: ReadonlySet<string>;
  /** agent.yaml lets the agent read its resources. */
  reads_resources: boolean;
  /** Of them, what agent.yaml leaves to the agent. */
  isLeft: (tool: string) => boolean;
  /** What agent.yaml says about calls of its tools. */
  policy: CallPolicy;
}

// A deployed version has final content, and a list never changes under its digest.
const read = new LRUCache<string, readonly ServerOfAgent[]>({ max: 10_000 });

export async function serversOfAgent(db: Reader, version_id: string): Promise<readonly ServerOfAgent[]> {
  const known = read.get(version_id);
  if (known !== undefined) return known;
  const content = await loadVersionSummary(db, version_id);
  const { mcp_servers = [] } = agentConfigOf(content);
  const servers = await Promise.all(content.pins.map(async (pin) => await serverOf(db, pin, mcp_servers)));
  const found = servers.filter((server) => server !== undefined);
  read.set(version_id, found);
  return found;
}

/** What is pinned now of what the agent's push saw, and what the configs of both leave. */
export async function callableTools(db: Reader, server: ServerOfAgent): Promise<ListedTool[]> {
  const pinned = await pinnedTools(db, server);
  return pinned.filter(({ name }) => server.pushed?.has(name) === true && server.isLeft(name));
}

/** What is pinned now of what the server's config leaves. */
export async function pinnedTools(
  db: Reader,
  server: Pick<ServerOfAgent, 'asset_id' | 'version' | 'config'>,
): Promise<ListedTool[]> {
  const pinned = await pinnedNow(db, server);
  const only = toolsIn(server.config);
  return (pinned?.tools ?? []).filter(({ name }) => only === undefined || only.includes(name));
}

/** What is pinned now of the prompts that the agent's push saw. */
export async function callablePrompts(db: Reader, server: ServerOfAgent): Promise<ListedPrompt[]> {
  if (server.pushed_prompts.size === 0) return [];
  const pinned = await pinnedNow(db, server);
  return (pinned?.prompts ?? []).filter(({ name }) => server.pushed_prompts.has(name));
}

// A list can be large, and each call asks for it. Its row never changes what it lists.
const lists = new LRUCache<string, Pick<ToolList, 'tools' | 'prompts'>>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ tools, prompts }) => JSON.stringify([tools, prompts]).length,
});

async function pinnedNow(db: Reader, of: store.OfServer): Promise<Pick<ToolList, 'tools' | 'prompts'> | undefined> {
  const id = await store.pinnedId(db, of);
  if (id === undefined) return undefined;
  const known = lists.get(id);
  if (known !== undefined) return known;
  const pinned = await store.pinnedList(db, of);
  if (pinned !== undefined) lists.set(pinned.id, pinned);
  return pinned;
}

async function serverOf(
  db: Reader,
  { ref, asset_id, version, digest, tools }: Pin,
  entries: NonNullable<AgentConfig['mcp_servers']>,
): Promise<ServerOfAgent | undefined> {
  const parsed = parseAnyRef(ref);
  if (parsed?.kind !== 'mcp-server') return undefined;
  const config = await contents.config(db, digest);
  const list = tools === undefined ? undefined : await store.listOf(db, { asset_id, version, digest: tools });
  const pushed = list && new Set(list.tools.map(({ name }) => name));
  const entry = entryOf(entries, parsed.name);
  const pushed_prompts = new Set(list?.prompts.map(({ name: prompt }) => prompt));
  const reads_resources = entry !== undefined && 'resources' in entry && entry.resources === true;
  const policy: CallPolicy = {
    ...(entry !== undefined && 'rules' in entry && { rules: entry.rules }),
    ...(entry !== undefined && 'approve' in entry && { approve: entry.approve }),
  };
  const { name } = parsed;
  const isLeft = leftBy(entry);
  return { name, ref, asset_id, version, config, pushed, pushed_prompts, reads_resources, isLeft, policy };
}

type Entry = NonNullable<AgentConfig['mcp_servers']>[number];

export const entryOf = (entries: readonly Entry[], server: string): Entry | undefined =>
  entries.find((one) => parseAnyRef(one.ref)?.name === server);

/** What agent.yaml leaves to the agent. */
export function leftBy(entry: Entry | undefined): (tool: string) => boolean {
  const { allow, deny = [] } = (entry !== undefined && 'tools' in entry ? entry.tools : undefined) ?? {};
  return (tool) => (allow === undefined || allow.includes(tool)) && !deny.includes(tool);
}

/** The only tools that the server's config leaves; undefined: all. */
export function toolsIn(config: Record<string, unknown>): readonly string[] | undefined {
  const { tools } = config;
  return Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : undefined;
}
