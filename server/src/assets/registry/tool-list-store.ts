// The lists are facts, and not governed. The pins are: they say what agents may call.
import type { GovernedTx } from '../../governance/access/change.ts';
import { canonicalJson } from '../../governance/audit/canonical-json.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { ListedPrompt, ListedTool, ToolList } from './tool-lists/tool-list.ts';

export interface OfServer {
  asset_id: string;
  version: string;
}

export interface StoredList extends ToolList {
  id: string;
  seen_at: string;
}

export interface PinnedList extends StoredList {
  pinned_by: string;
  pinned_at: string;
}

type Row<T> = Omit<T, 'tools' | 'prompts'> & { tools: string; prompts: string };

/** The newest sight of a list counts. */
export async function putList(
  db: Database,
  { asset_id, version }: OfServer,
  { digest, tools, prompts, image_id = null }: ToolList & { image_id?: string | null },
): Promise<void> {
  await db.run(sql`
    insert into tool_list (asset_id, version, digest, tools, prompts, image_id)
    values (${asset_id}, ${version}, ${digest}, ${canonicalJson(tools)}, ${canonicalJson(prompts)}, ${image_id})
    on conflict (asset_id, version, digest) do update set seen_at = clock_now()`);
}

export async function newestList(db: Reader, { asset_id, version }: OfServer): Promise<StoredList | undefined> {
  const row = await db.one<Row<StoredList>>(sql`
    select id, digest, tools, prompts, seen_at from tool_list where asset_id = ${asset_id} and version = ${version}
    order by seen_at desc limit 1`);
  return row && opened(row);
}

export async function listOf(db: Reader, of: OfServer & { digest: string }): Promise<StoredList | undefined> {
  const row = await db.one<Row<StoredList>>(sql`
    select id, digest, tools, prompts, seen_at from tool_list
    where asset_id = ${of.asset_id} and version = ${of.version} and digest = ${of.digest}`);
  return row && opened(row);
}

export async function pinnedList(db: Reader, { asset_id, version }: OfServer): Promise<PinnedList | undefined> {
  const row = await db.one<Row<PinnedList>>(sql`
    select l.id, l.digest, l.tools, l.prompts, l.seen_at, p.pinned_by, p.pinned_at
    from tool_pin p join tool_list l on l.id = p.list_id where p.asset_id = ${asset_id} and p.version = ${version}`);
  return row && opened(row);
}

/** The list that is pinned now. */
export async function pinnedId(db: Reader, { asset_id, version }: OfServer): Promise<string | undefined> {
  const row = await db.one<{ list_id: string }>(sql`
    select list_id from tool_pin where asset_id = ${asset_id} and version = ${version}`);
  return row?.list_id;
}

export async function putPin(
  tx: GovernedTx,
  { asset_id, version, list_id, pinned_by }: OfServer & { list_id: string; pinned_by: string },
): Promise<void> {
  await tx.write(
    'tool_pin',
    sql`insert into tool_pin (asset_id, version, list_id, pinned_by) values (${asset_id}, ${version}, ${list_id}, ${pinned_by})
      on conflict (asset_id, version) do update set list_id = excluded.list_id, pinned_by = excluded.pinned_by, pinned_at = clock_now()
      returning id`,
  );
}

function opened<T extends { tools: string; prompts: string }>(
  row: T,
): Omit<T, 'tools' | 'prompts'> & Pick<ToolList, 'tools' | 'prompts'> {
  const [tools, prompts] = [row.tools, row.prompts].map((text) => JSON.parse(text) as unknown);
  return { ...row, tools: tools as ListedTool[], prompts: prompts as ListedPrompt[] }; // putList has written them
}
