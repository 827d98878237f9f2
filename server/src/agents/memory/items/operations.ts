// The operations on the items of one owner, in a transaction.
import type { ItemOp, ItemResult, StoredItem } from '@gantry/contract/agents/memory.ts';
import type { Tx } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import * as itemStore from '../item-store.ts';
import type { Owner } from '../item-store.ts';
import type { EmbeddedOps } from './embed-items.ts';
import { openItem, openItems, sealItem, sealVectors } from './item-row.ts';
import { listNamespaces, searchItems, type KnownItem } from './search.ts';

export interface Owned {
  owner: Owner;
  /** Who is noted as a writer of a shared item. */
  writer_id: string | null;
}

type Operations = { [Op in ItemOp['op']]: (op: Extract<ItemOp, { op: Op }>) => Promise<ItemResult> };

export function operations(
  tx: Tx,
  envelope: Envelope,
  { owned: { owner, writer_id }, embedded: { made_by, vectorsOf } }: { owned: Owned; embedded: EmbeddedOps },
): Operations {
  const addressOf = (namespace: readonly string[], key: string) =>
    envelope.hash(JSON.stringify([owner.agent_id, owner.owner, namespace, key]), 'store_item');
  const all = async (maker?: string) =>
    await openItems(envelope, owner, await itemStore.listItems(tx, owner, maker), maker);
  return {
    get: async ({ namespace, key }) => {
      const found = await itemStore.findItem(tx, owner, addressOf(namespace, key));
      if (found === undefined) return null;
      await itemStore.touchItems(tx, owner, [found.address]);
      return printItem(await openItem(envelope, owner, found), null);
    },
    put: async (op) => {
      const { namespace, key, value, index, ttl_minutes } = op;
      const address = addressOf(namespace, key);
      if (value === null) {
        await itemStore.deleteItem(tx, owner, address);
        return null;
      }
      const body = await sealItem(envelope, owner, address, { namespace, key, value, index });
      const vectors = vectorsOf(op);
      const embedded =
        made_by === undefined || vectors.length === 0
          ? undefined
          : await sealVectors(envelope, owner, address, { made_by, vectors });
      await itemStore.putItem(tx, owner, { address, body, ttl_minutes, writer_id, embedded });
      return null;
    },
    search: async (op) => {
      const [meaning] = vectorsOf(op);
      const found = await searchItems(await all(meaning && made_by), op, meaning);
      await itemStore.touchItems(
        tx,
        owner,
        found.map(({ item }) => item.address),
      );
      return found.map(({ item, score }) => printItem(item, score));
    },
    list_namespaces: async (op) => listNamespaces(await all(), op),
  };
}

function printItem({ namespace, key, value, created_at, updated_at }: KnownItem, score: number | null): StoredItem {
  return { namespace, key, value, created_at, updated_at, score };
}
