// The store of an agent for one owner. A run reaches the items of its end caller, or those that its memory config shares. Nothing in a request
// can name another owner.
import { Problem } from '@gantry/contract/problems.ts';
import type { ItemOp, ItemResult, StoredItem } from '@gantry/contract/agents/memory.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Tx } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { askingRun } from '../door/open-run.ts';
import { refuseFull } from '../quota.ts';
import { scopeOf } from '../scope-store.ts';
import type { MemoryParts } from '../parts.ts';
import { openContent, rows, sealContent } from '../sealed-content.ts';
import * as itemStore from '../item-store.ts';
import type { Owner } from '../item-store.ts';
import { ownerOfItems, requireOwnItems } from './owner.ts';
import { listNamespaces, searchItems, type KnownItem } from './search.ts';

/** A search opens all items of an owner. */
const most_items = 10_000;

/** The results in the order of the operations. Throws `run_refused` or `memory_full`; then nothing is written. */
export async function carryOutItems(
  { db, envelope }: MemoryParts,
  { caller, ops }: { caller: Caller; ops: readonly ItemOp[] },
): Promise<ItemResult[]> {
  const { run, owner } = await askingRun(db, caller);
  const scope = await scopeOf(db, run.revision_id);
  if (scope === undefined) throw new Error(`revision ${run.revision_id} is gone`);
  return await itemsOf({ db, envelope }, ownerOfItems(scope, owner.owner_id), ops);
}

/** The same for the owner alone, who needs no open run. Throws `memory_full` and `forbidden`; then nothing is written. */
export async function itemsOfCaller(
  { db, envelope }: MemoryParts,
  { agent, owner_id }: { agent: { id: string; ref: string }; owner_id: string },
  ops: readonly ItemOp[],
): Promise<ItemResult[]> {
  await requireOwnItems(db, agent);
  const owner = { agent_id: agent.id, owner: `user ${owner_id}`, owner_id };
  return await itemsOf({ db, envelope }, { owner, writer_id: null }, ops);
}

/** `writer_id`: who is noted as a writer of a shared item. */
async function itemsOf(
  { db, envelope }: MemoryParts,
  { owner, writer_id }: { owner: Owner; writer_id: string | null },
  ops: readonly ItemOp[],
): Promise<ItemResult[]> {
  const isWriting = ops.some((one) => one.op === 'put' && one.value !== null);
  if (isWriting) {
    await refuseFull(db, owner, 0);
    if ((await itemStore.countItems(db, owner)) + ops.length > most_items)
      throw new Problem('memory_full', {
        detail: `An agent's store has at most ${most_items} items for one caller, or for all who share them.`,
      });
  }
  return await db.transaction(async (tx) => {
    const at = operations(tx, envelope, { owner, writer_id });
    const results: ItemResult[] = [];
    for (const one of ops) results.push(await at[one.op](one as never)); // the record pairs each name with its operation
    return results;
  });
}

type Carried = { [Op in ItemOp['op']]: (op: Extract<ItemOp, { op: Op }>) => Promise<ItemResult> };

function operations(
  tx: Tx,
  envelope: Envelope,
  { owner, writer_id }: { owner: Owner; writer_id: string | null },
): Carried {
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
      await itemStore.putItem(tx, owner, { address, body, ttl_minutes, writer_id });
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
