import type { Envelope } from '../../../ground/envelope/envelope.ts';
import * as store from '../value-store.ts';
import type { Values } from './values.ts';

/** In the service's own database, each value sealed for its row. */
export function ours({ seal, open }: Envelope): Values {
  const rowOf = (id: string) => ({ table: 'secret_value', id });
  return {
    put: async (tx, id, value) => await store.put(tx, id, seal(value, rowOf(id))),
    read: async (db, ids) => {
      const rows = await store.sealed(db, ids);
      if (rows.length < new Set(ids).size) throw new Error('the value of a secret is missing');
      return new Map(rows.map(({ id, sealed }) => [id, open(sealed, rowOf(id))]));
    },
    remove: store.remove,
  };
}
