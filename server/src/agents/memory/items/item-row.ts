// An item and its vectors, sealed and opened.
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { bytesOf, vectorsIn } from '../../../ground/vectors/vectors.ts';
import { yieldTurn } from '../../../ground/yield-turn.ts';
import { openContent, rows, sealContent } from '../sealed-content.ts';
import type { EmbeddedRow, ItemRow, ItemVectors, Owner } from '../item-store.ts';
import type { KnownItem } from './search.ts';

type Stored = Pick<KnownItem, 'namespace' | 'key' | 'value' | 'index'>;

export async function sealItem(
  envelope: Envelope,
  { agent_id, owner }: Owner,
  address: Buffer,
  item: Stored,
): Promise<Buffer> {
  return await sealContent(envelope, rows.item(agent_id, owner, address), { head: item, parts: [] });
}

/** Throws `memory_damaged`. */
export async function openItem(envelope: Envelope, { agent_id, owner }: Owner, row: ItemRow): Promise<KnownItem> {
  const { address, body, created_at, updated_at } = row;
  const { head } = await openContent(envelope, rows.item(agent_id, owner, address), body);
  return { ...(head as Stored), address, created_at, updated_at, vectors: [] }; // sealed above
}

/** With the vectors of this maker. Other requests are served between the items. Throws `memory_damaged`. */
export async function openItems(
  envelope: Envelope,
  owner: Owner,
  rows_of_owner: readonly EmbeddedRow[],
  made_by: string | undefined,
): Promise<KnownItem[]> {
  const items: KnownItem[] = [];
  for (const row of rows_of_owner) {
    await yieldTurn();
    const item = await openItem(envelope, owner, row);
    const { vectors, address } = row;
    const isEmbedded = vectors !== null && made_by !== undefined;
    items.push(
      isEmbedded ? { ...item, vectors: await openVectors(envelope, owner, { address, vectors, made_by }) } : item,
    );
  }
  return items;
}

/** Null without vectors. */
export async function sealVectors(
  envelope: Envelope,
  { agent_id, owner }: Owner,
  address: Buffer,
  { made_by, vectors }: { made_by: string; vectors: readonly Float32Array[] },
): Promise<ItemVectors> {
  const [first] = vectors;
  if (first === undefined) return { made_by, vectors: null };
  const content = { head: { made_by, dimensions: first.length }, parts: [bytesOf(vectors)] };
  return { made_by, vectors: await sealContent(envelope, rows.vectors(agent_id, owner, address, made_by), content) };
}

async function openVectors(
  envelope: Envelope,
  { agent_id, owner }: Owner,
  { address, vectors, made_by }: { address: Buffer; vectors: Buffer; made_by: string },
): Promise<Float32Array[]> {
  const { head, rest } = await openContent(envelope, rows.vectors(agent_id, owner, address, made_by), vectors);
  return vectorsIn(rest(), (head as { dimensions: number }).dimensions); // sealed above
}
