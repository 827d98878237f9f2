// A thread's states in another thread. Each row is bound to its thread, so it is opened and sealed anew.
import type { Tx } from '../../ground/database/database.ts';
import type { Envelope, SealedRow } from '../../ground/envelope/envelope.ts';
import { rows } from './sealed-content.ts';
import * as stateStore from './state-store.ts';

/** `upTo`: only this state of the graph and those before it. */
export async function copyStates(
  { tx, envelope }: { tx: Tx; envelope: Envelope },
  { from, to, upTo }: { from: string; to: string; upTo?: string },
): Promise<void> {
  const all = await stateStore.allRows(tx, from);
  const states = upTo === undefined ? all.states : all.states.filter(({ id }) => id <= upTo);
  const has = new Set(states.map(({ ns, id }) => JSON.stringify([ns, id])));
  const used = new Set(
    states.flatMap(({ ns, versions }) =>
      Object.entries(versions).map(([channel, version]) => JSON.stringify([ns, channel, version])),
    ),
  );
  const moved = (body: Buffer, old: SealedRow, now: SealedRow) =>
    envelope.sealBytes(envelope.openBytes(body, old), now);
  await stateStore.insertRows(tx, to, {
    states: states.map((row) => ({ ...row, body: moved(row.body, rows.state(from, row), rows.state(to, row)) })),
    blobs: all.blobs
      .filter(({ ns, channel, version }) => used.has(JSON.stringify([ns, channel, version])))
      .map((row) => ({ ...row, body: moved(row.body, rows.blob(from, row), rows.blob(to, row)) })),
    writes: all.writes
      .filter(({ ns, checkpoint_id }) => has.has(JSON.stringify([ns, checkpoint_id])))
      // What the fork's own state has been written after it belongs to the run that went on there.
      .filter(({ checkpoint_id }) => checkpoint_id !== upTo)
      .map((row) => ({ ...row, body: moved(row.body, rows.write(from, row), rows.write(to, row)) })),
  });
}
