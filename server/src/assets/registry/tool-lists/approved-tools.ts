// The tools and prompts that a content brings to an agent: those of the lists that its push saw pinned, without those that either config leaves out.
import type { Difference } from '@gantry/contract/assets/difference.ts';
import type { ToolDefinition } from '@gantry/contract/assets/tools.ts';
import { parseAnyRef, printRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as contents from '../content-store.ts';
import * as store from '../tool-list-store.ts';
import { agentConfigOf } from '../versions/load-version-content.ts';
import { entryOf, leftBy, toolsIn } from './pinned-servers.ts';
import { entry } from './server-tools.ts';
import { isSame, type ListedPrompt, type ListedTool } from './tool-list.ts';

export interface ApprovedTool {
  /** mcp-servers/<name> */
  server: string;
  kind: ToolDefinition['kind'];
  tool: ListedTool | ListedPrompt;
}

export async function approvedTools(
  db: Reader,
  content: Pick<contents.StoredContent, 'config' | 'pins'>,
): Promise<ApprovedTool[]> {
  const { mcp_servers = [] } = agentConfigOf(content);
  const found = await Promise.all(
    content.pins.map(async ({ ref, asset_id, version, digest, tools }): Promise<ApprovedTool[]> => {
      const server = parseAnyRef(ref);
      const list = tools === undefined ? undefined : await store.listOf(db, { asset_id, version, digest: tools });
      if (server === undefined || list === undefined) return [];
      const only = toolsIn(await contents.config(db, digest));
      const isLeft = leftBy(entryOf(mcp_servers, server.name));
      const left = list.tools.filter(({ name }) => isLeft(name) && (only === undefined || only.includes(name)));
      const of = printRef(server);
      return [
        ...left.map((tool) => ({ server: of, kind: 'tool' as const, tool })),
        ...list.prompts.map((tool) => ({ server: of, kind: 'prompt' as const, tool })),
      ];
    }),
  );
  return found.flat();
}

/** By server and name. Another version of the server with the same text is no change. */
export function toolChanges(before: readonly ApprovedTool[], after: readonly ApprovedTool[]): Difference['tools'] {
  const [old, now] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...now.keys()])].toSorted().flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (was !== undefined && is !== undefined && isSame(was.tool, is.tool)) return [];
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    const { server = '', tool } = is ?? was ?? {};
    const shown = (one: ApprovedTool | undefined) => (one === undefined ? null : entry(one.kind, one.tool));
    return [{ server, name: tool?.name ?? '', change, before: shown(was), after: shown(is) } as const];
  });
}

const byName = (tools: readonly ApprovedTool[]) =>
  new Map(tools.map((one) => [`${one.server} ${one.kind} ${one.tool.name}`, one]));
