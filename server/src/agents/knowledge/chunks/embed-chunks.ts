// Vectors of chunks. The key of the index pays: its budget, its limits and the ledger have each call.
import { randomBytes } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import { noRequest, type EndCaller, type KeyCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { embedTexts, type Embedded } from '../../../models/gateway/embedding/embed-texts.ts';
import { noRun, type GatewayRun } from '../../../models/gateway/run-of-call.ts';
import { keyCaller } from '../../../models/keys/calls/key-caller.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import * as store from '../chunk-store.ts';
import * as indexes from '../index-store.ts';
import type { KnowledgeParts } from '../parts.ts';

const batch = 100;

/** Of chunks of the part without one. The ledger names the base, too: what it costs is what its documents cost. Throws the refusal of the model. */
export async function embedChunks(
  parts: KnowledgeParts,
  index: AssetRecord,
  {
    part,
    base,
    model,
    signal,
    onBatch,
  }: { part: store.Part; base: AssetRecord; model: string; signal: AbortSignal; onBatch: (count: number) => void },
): Promise<void> {
  const { db } = parts;
  for (let count = 0; ;) {
    signal.throwIfAborted();
    const chunks = await store.unembedded(db, part, batch);
    if (chunks.length === 0) return;
    const texts = chunks.map(textOfChunk);
    const { made_by = null, vectors } = await embedFor(parts, index, texts, {
      model,
      tag: base.ref,
      signal,
      run: ofNoRun(),
    });
    const made = chunks.map(({ id }, n) => ({ id, vector: [...(vectors[n] ?? [])] }));
    await db.transaction(async (tx) => await store.putVectors(tx, made_by, made));
    onBatch((count += chunks.length));
  }
}

/** What models read of a chunk. */
export function textOfChunk({ headings, passage }: Pick<store.FoundChunk, 'headings' | 'passage'>): string {
  return [...headings, passage].join('\n');
}

/** At the cost of the index. Throws `model_not_allowed`, and each refusal of the gateway. */
export async function embedFor(
  { db, models }: KnowledgeParts,
  index: AssetRecord,
  texts: readonly string[],
  { model, tag = index.ref, signal, run }: { model: string; tag?: string; signal: AbortSignal; run: GatewayRun },
): Promise<Embedded> {
  const payer = await payerOf(db, index);
  return await embedTexts(await models(), texts, { model, tag, payer, run, signal });
}

/** The key of the index. Throws `model_not_allowed`. */
export async function payerOf(db: Reader, index: AssetRecord): Promise<KeyCaller> {
  const key_id = (await indexes.find(db, index.id))?.key_id ?? undefined;
  const payer = key_id === undefined ? undefined : await keyCaller(db, key_id, noRequest());
  if (payer !== undefined) return payer;
  throw new Problem('model_not_allowed', {
    detail: `${index.ref} has no key that could pay.`,
    hint: `Refresh it: svc kb refresh ${index.ref}`,
  });
}

/** In a trace of its own. */
export function ofNoRun(caller?: EndCaller): GatewayRun {
  return { ...noRun, caller_id: caller?.id ?? null, trace_id: randomBytes(16).toString('hex') };
}
