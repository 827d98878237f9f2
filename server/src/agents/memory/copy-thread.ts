// A thread's states in another thread. Each row is bound to its thread, so it is opened and sealed anew.
import type { Tx } from '../../ground/database/database.ts';
import type { Envelope, SealedRow } from '../../ground/envelope/envelope.ts';
import { rows } from './sealed-content.ts';
import { copyExposure } from './thread-store.ts';
import * as stateStore from './state-store.ts';

/** `upTo`: only this state of the graph and those before it. */
export async function copyStates(
  { tx, envelope }: { tx: Tx; envelope: Envelope },
  { from, to, upTo }: { from: string; to: string; upTo?: string },
): Promise<void> {
  // The states come first, and say which of the others belong to them.
  const has = new Set<string>();
  const used = new Set<string>();
  const moved = (body: Buffer, old: SealedRow, now: SealedRow) =>
    envelope.sealBytes(envelope.openBytes(body, old), now);
  for await (const part of stateStore.partsOf(tx, from)) {
    const states = part.states.filter(({ id }) => upTo === undefined || id <= upTo);
    for (const { ns, id, versions } of states) {
      has.add(JSON.stringify([ns, id]));
      for (const [channel, version] of Object.entries(versions)) used.add(JSON.stringify([ns, channel, version]));
    }
    await stateStore.insertRows(tx, to, {
      states: states.map((row) => ({ ...row, body: moved(row.body, rows.state(from, row), rows.state(to, row)) })),
      blobs: part.blobs
        .filter(({ ns, channel, version }) => used.has(JSON.stringify([ns, channel, version])))
        .map((row) => ({ ...row, body: moved(row.body, rows.blob(from, row), rows.blob(to, row)) })),
      writes: part.writes
        .filter(({ ns, checkpoint_id }) => has.has(JSON.stringify([ns, checkpoint_id])))
        // What the fork's own state has been written after it belongs to the run that went on there.
        .filter(({ checkpoint_id }) => checkpoint_id !== upTo)
        .map((row) => ({ ...row, body: moved(row.body, rows.write(from, row), rows.write(to, row)) })),
    });
  }
  await stateStore.sumBytes(tx, to);
  await copyExposure(tx, { from, to });
}
