// The tools of `type: http` of a version of an agent. The push has pinned the config of each, so the approval of the version covers its address, its texts and
// its schemas: a later version of the tool reaches no agent that was pushed before it.
import { LRUCache } from 'lru-cache';
import type { CallPolicy } from '@gantry/project/call-rules/config.ts';
import { registry_server } from '@gantry/contract/assets/tools.ts';
import { parseRef, printVersionRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as contents from '../content-store.ts';
import { agentConfigOf, loadVersionSummary } from '../versions/load-version-content.ts';
import type { ServerOfAgent } from './pinned-servers.ts';

/** Each is a server with one tool: calls of it are checked as those of servers are. */
export interface ToolOfAgent extends ServerOfAgent {
  tool: string;
}

/** A server that has this one tool, and nothing else. */
export function ofOneTool(
  tool: string,
  server: Pick<ServerOfAgent, 'name' | 'ref' | 'asset_id' | 'version' | 'config' | 'policy'>,
): ToolOfAgent {
  const nothing_else = { pushed_prompts: new Set<string>(), reads_resources: false, isLeft: () => true };
  return { ...server, tool, pushed: new Set([tool]), ...nothing_else };
}

// A deployed version has final content.
const read = new LRUCache<string, readonly ToolOfAgent[]>({ max: 10_000 });

export async function toolsOfAgent(db: Reader, version_id: string): Promise<readonly ToolOfAgent[]> {
  const known = read.get(version_id);
  if (known !== undefined) return known;
  const content = await loadVersionSummary(db, version_id);
  const { tools = [] } = agentConfigOf(content);
  const found: ToolOfAgent[] = [];
  for (const { ref, asset_id, version, digest } of content.pins) {
    const parsed = parseRef(ref);
    if (parsed?.kind !== 'tool') continue;
    const config = await contents.config(db, digest);
    if (config['type'] !== 'http') continue;
    const { name } = parsed;
    const entry = tools.find((one) => 'ref' in one && one.ref === ref);
    const policy: CallPolicy = {
      ...(entry !== undefined && 'rules' in entry && { rules: entry.rules }),
      ...(entry !== undefined && 'approve' in entry && { approve: entry.approve }),
    };
    const tool_ref = printVersionRef({ kind: 'tool', name, version });
    found.push(ofOneTool(name, { name: registry_server, ref: tool_ref, asset_id, version, config, policy }));
  }
  read.set(version_id, found);
  return found;
}
