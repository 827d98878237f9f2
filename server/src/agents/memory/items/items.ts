// The store of an agent for one owner. A run reaches the items of its end caller, and nothing in a request can name another one.
import { Problem } from '@gantry/contract/problems.ts';
import type { ItemOp, ItemResult, StoredItem } from '@gantry/contract/agents/memory.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Tx } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { askingRun } from '../door/open-run.ts';
import { refuseFull } from '../quota.ts';
import type { MemoryParts } from '../parts.ts';
import { openContent, rows, sealContent } from '../sealed-content.ts';
import * as itemStore from '../item-store.ts';
import type { Owner } from '../item-store.ts';
import { listNamespaces, searchItems, type KnownItem } from './search.ts';

/** A search opens all items of an owner. */
const most_items = 10_000;

/** The results in the order of the operations. Throws `run_refused` or `memory_full`; then nothing is written. */
export async function carryOutItems(
  { db, envelope }: MemoryParts,
  { caller, ops }: { caller: Caller; ops: readonly ItemOp[] },
): Promise<ItemResult[]> {
  const { owner } = await askingRun(db, caller);
  return await itemsOfOwner({ db, envelope }, owner, ops);
}

/** The same for the owner alone, who needs no open run. Throws `memory_full`; then nothing is written. */
export async function itemsOfOwner(
  { db, envelope }: MemoryParts,
  of: { agent_id: string; owner_id: string },
  ops: readonly ItemOp[],
): Promise<ItemResult[]> {
  const owner: Owner = { ...of, owner: `user ${of.owner_id}` };
  const isWriting = ops.some((one) => one.op === 'put' && one.value !== null);
  if (isWriting) {
    await refuseFull(db, owner, 0);
    if ((await itemStore.countItems(db, owner)) + ops.length > most_items)
      throw new Problem('memory_full', { detail: `An agent's store has at most ${most_items} items for one caller.` });
  }
  return await db.transaction(async (tx) => {
    const at = itemsOf(tx, envelope, owner);
    const results: ItemResult[] = [];
    for (const one of ops) results.push(await at[one.op](one as never)); // the record pairs each name with its operation
    return results;
  });
}

type Carried = { [Op in ItemOp['op']]: (op: Extract<ItemOp, { op: Op }>) => Promise<ItemResult> };

function itemsOf(tx: Tx, envelope: Envelope, owner: Owner): Carried {
  const addressOf = (namespace: readonly string[], key: string) =>
    envelope.hash(JSON.stringify([owner.agent_id, owner.owner, namespace, key]), 'store_item');
  const all = async () => await Promise.all((await itemStore.listItems(tx, owner)).map(open));
  const open = async ({ address, body, created_at, updated_at }: itemStore.ItemRow): Promise<KnownItem> => {
    const row = rows.item(owner.agent_id, owner.owner, address);
    const { head } = await openContent(envelope, row, body);
    // Sealed below.
    return { ...(head as Pick<KnownItem, 'namespace' | 'key' | 'value' | 'index'>), address, created_at, updated_at };
  };
  return {
    get: async ({ namespace, key }) => {
      const found = await itemStore.findItem(tx, owner, addressOf(namespace, key));
      if (found === undefined) return null;
      await itemStore.touchItems(tx, owner, [found.address]);
      return printItem(await open(found), null);
    },
    put: async ({ namespace, key, value, index, ttl_minutes }) => {
      const address = addressOf(namespace, key);
      if (value === null) {
        await itemStore.deleteItem(tx, owner, address);
        return null;
      }
      const row = rows.item(owner.agent_id, owner.owner, address);
      const body = await sealContent(envelope, row, { head: { namespace, key, value, index }, parts: [] });
      await itemStore.putItem(tx, owner, { address, body, ttl_minutes });
      return null;
    },
    search: async (asked) => {
      const found = searchItems(await all(), asked);
      await itemStore.touchItems(
        tx,
        owner,
        found.map(({ item }) => item.address),
      );
      return found.map(({ item, score }) => printItem(item, score));
    },
    list_namespaces: async (asked) => listNamespaces(await all(), asked),
  };
}

function printItem({ namespace, key, value, created_at, updated_at }: KnownItem, score: number | null): StoredItem {
  return { namespace, key, value, created_at, updated_at, score };
}
