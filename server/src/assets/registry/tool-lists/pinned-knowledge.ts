// The knowledge bases and RAG indexes that a version of an agent searches. The push has pinned each, so the approval of the version says what it searches.
// Which snapshot a search reads is not pinned: a refresh moves it.
import { LRUCache } from 'lru-cache';
import { knowledge_server, searchTool } from '@gantry/contract/assets/tools.ts';
import { parseRef, printVersionRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { loadVersionSummary } from '../versions/load-version-content.ts';
import { ofOneTool, type ToolOfAgent } from './pinned-tools.ts';

// A deployed version has final content.
const read = new LRUCache<string, readonly ToolOfAgent[]>({ max: 10_000 });

/** Each as a server with one tool. */
export async function searchesOfAgent(db: Reader, version_id: string): Promise<readonly ToolOfAgent[]> {
  const known = read.get(version_id);
  if (known !== undefined) return known;
  const { pins } = await loadVersionSummary(db, version_id);
  const found = pins.flatMap(({ ref, asset_id, version }): ToolOfAgent[] => {
    const { kind, name } = parseRef(ref) ?? {};
    if (name === undefined || (kind !== 'knowledge-base' && kind !== 'rag-index')) return [];
    const searched = { ref: printVersionRef({ kind, name, version }), asset_id, version };
    return [ofOneTool(searchTool(name), { ...searched, name: knowledge_server, config: {}, policy: {} })];
  });
  read.set(version_id, found);
  return found;
}
