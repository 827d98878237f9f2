// What a server offers now must be what a person has pinned, at each call anew.
import { Problem } from '@gantry/contract/problems.ts';
import { noteList } from '../../assets/registry/tool-lists/note-list.ts';
import {
  isSame,
  type ListedPrompt,
  type ListedTool,
  type ToolList,
} from '../../assets/registry/tool-lists/tool-list.ts';
import type { UsableServer } from './find-tools.ts';
import type { ToolParts } from './parts.ts';
import type { ServerConnection } from './upstream/connect.ts';

interface PinnedEntry<T extends ListedTool | ListedPrompt> {
  pinned: T;
  /** Where it stands in a list. */
  among: (list: ToolList) => readonly T[];
  /** What has become of it. */
  says: (ref: string, isGone: boolean) => string;
}

/** A change of a list is seen after this time at the latest. */
const list_age_ms = 10_000;

/** Throws `tool_changed`. The new list is stored, so that its owner sees the difference. */
export async function requireUnchanged<T extends ListedTool | ListedPrompt>(
  { db }: ToolParts,
  connection: ServerConnection,
  { server, upstream, image }: UsableServer,
  { pinned, among, says }: PinnedEntry<T>,
): Promise<void> {
  const list = await connection.list(list_age_ms);
  const now = among(list).find(({ name }) => name === pinned.name);
  if (now !== undefined && isSame(now, pinned)) return;
  await noteList(db, server, { ...list, image_id: image?.id ?? null });
  throw new Problem('tool_changed', {
    detail: says(upstream.ref, now === undefined),
    hint: `Its owner reads the difference and pins it: svc mcp pin ${server.name}`,
  });
}
