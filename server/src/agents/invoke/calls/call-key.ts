// A call that a client may send again. Its key is an Idempotency-Key, or the id of a message. The id of its run follows from the caller, the asset
// and the key, so another caller's key is neither seen nor in the way. The stored call is the proof that it has begun: a repeat finds it. Must never
// happen: two calls of an agent for one key. In this process the second call waits until the first one is stored. Of two processes, one stores its
// call, and the call of the other is refused before it is sent (`followed.put`).
import { createHmac } from 'node:crypto';
import { idempotencyKeyPattern } from '@gantry/contract/idempotency.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import { holdDigest } from '../call-key-store.ts';
import { derivedId } from './derived-id.ts';
import type { Ingress } from '../ingress.ts';
import * as store from '../store.ts';

export interface KeyOfCall {
  caller_id: string;
  asset_id: string;
  key: string;
}

/** The key in the header Idempotency-Key. Throws `malformed`. */
export function callKey(headers: RequestHeaders): string | undefined {
  const key = headers.get('idempotency-key') ?? undefined;
  if (key === undefined || idempotencyKeyPattern.test(key)) return key;
  throw new Problem('malformed', { detail: 'An Idempotency-Key is 1 to 255 visible ASCII characters.' });
}

export const runIdOf = ({ caller_id, asset_id, key }: KeyOfCall): string => derivedId('key', caller_id, asset_id, key);

/** Throws `idempotency_conflict` when the first call of this run had another content. */
export async function refuseOtherContent(
  { db, run_key }: Pick<Ingress, 'db' | 'run_key'>,
  run_id: string,
  content: Uint8Array | string,
): Promise<void> {
  const digest = createHmac('sha256', run_key).update('call-key ').update(content).digest('hex');
  if ((await holdDigest(db, run_id, digest)) === digest) return;
  throw new Problem('idempotency_conflict', {
    detail: 'This Idempotency-Key was used for a call with other content.',
    hint: 'Use a new key for every new call.',
  });
}

interface Once<T> {
  /** Resolves after the call is stored. */
  begin: () => Promise<T>;
  /** For a call that was stored before. */
  again: () => Promise<T>;
}

/** Begins a call once, whoever else begins it at the same time. */
export async function beginOnce<T>(
  ingress: Pick<Ingress, 'db' | 'beginning'>,
  run_id: string,
  { begin, again }: Once<T>,
): Promise<T> {
  const { db, beginning } = ingress;
  for (;;) {
    await beginning.get(run_id)?.catch(() => {}); // its own sender gets the refusal
    if ((await store.findById(db, run_id)) !== undefined) return await again();
    if (beginning.has(run_id)) continue;
    const begun = begin();
    beginning.set(run_id, begun);
    try {
      return await begun;
    } catch (error) {
      // Another ingress has stored it first.
      if ((await store.findById(db, run_id)) !== undefined) return await again();
      throw error;
    } finally {
      beginning.delete(run_id);
    }
  }
}
