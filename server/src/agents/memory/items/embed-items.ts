// The vectors of items and of queries. An embedding that fails stops nothing: the item is stored without vectors and found by its words, a notice says so,
// and a later search embeds it. So does a search after the model has changed, for some items each time: vectors of two models are never compared.
import type { ItemOp } from '@gantry/contract/agents/memory.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { embedTexts, type Embedded } from '../../../models/gateway/embedding/embed-texts.ts';
import type { GatewayParts } from '../../../models/gateway/parts.ts';
import type { GatewayRun } from '../../../models/gateway/run-of-call.ts';
import { keyCaller } from '../../../models/keys/calls/key-caller.ts';
import * as itemStore from '../item-store.ts';
import type { Owner } from '../item-store.ts';
import { openItem, sealVectors } from './item-row.ts';
import { textsOf } from './item-texts.ts';

/** Of one item. More texts of it are found by no meaning. */
const most_texts = 20;
/** Items that a search embeds, because they have no vectors of its model. */
const most_old = 200;
const old_of_request = 100;
/** For all embeddings of a request. A wrapper waits 20 seconds for its answer. */
const embed_ms = 12_000;

/** Who pays, and for which run. */
interface ForWhom {
  /** The gateway key of the agent's revision. */
  key_id: string | null;
  run: GatewayRun;
  origin: Origin;
  signal: AbortSignal;
}

/** Vectors of texts that are not empty. Throws a refusal. */
export type Embed = (texts: readonly string[]) => Promise<Embedded>;

/** For the time of one request. `model` is `models/<name>`. */
export function embedder(
  { db, models }: { db: Reader; models: () => Promise<GatewayParts> },
  { model, key_id, run, origin, signal }: ForWhom & { model: string },
): Embed {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(embed_ms)]);
  return async (texts) => {
    const payer = key_id === null ? undefined : await keyCaller(db, key_id, origin);
    if (payer === undefined) throw new Problem('model_not_allowed', { detail: 'The agent has no key that could pay.' });
    return await embedTexts(await models(), texts, { model, tag: 'memory:embedding', payer, run, signal: ends });
  };
}

export interface EmbeddedOps {
  /** Undefined when there is nothing to compare with. */
  made_by: string | undefined;
  /** Of a put: those of its texts. Of a search: that of its query. */
  vectorsOf: (op: ItemOp) => readonly Float32Array[];
  notices: string[];
}

export const nothingEmbedded: EmbeddedOps = { made_by: undefined, vectorsOf: () => [], notices: [] };

/** All texts of the operations in one request. */
export async function embedOps(embed: Embed, ops: readonly ItemOp[]): Promise<EmbeddedOps> {
  const texts = ops.flatMap((op) => textsOfOp(op).map((text) => ({ op, text })));
  if (texts.length === 0) return nothingEmbedded;
  const asked = await attempt(async () => await embed(texts.map(({ text }) => text)));
  if ('failed' in asked) {
    const notices = [
      ...(ops.some(({ op }) => op === 'put')
        ? [`stored without vectors, until a search makes them: ${asked.failed}`]
        : []),
      ...(ops.some(({ op }) => op === 'search') ? [`searched words only: ${asked.failed}`] : []),
    ];
    return { ...nothingEmbedded, notices };
  }
  const { made_by, vectors } = asked.done;
  const found = texts.flatMap(({ op }, n) => (vectors[n] === undefined ? [] : [{ op, vector: vectors[n] }]));
  const by_op = Map.groupBy(found, ({ op }) => op);
  const vectorsOf = (op: ItemOp) => (by_op.get(op) ?? []).map(({ vector }) => vector);
  const isBlocked = texts.some(({ op }) => op.op === 'search' && vectorsOf(op).length === 0);
  return { made_by, vectorsOf, notices: isBlocked ? ['searched words only: a guardrail has blocked the query'] : [] };
}

function textsOfOp(op: ItemOp): string[] {
  if (op.op === 'put' && op.value !== null) return textsOf(op.value, op.index).slice(0, most_texts);
  if (op.op === 'search' && op.query !== null && op.query.trim() !== '') return [op.query];
  return [];
}

/** Gives vectors of this maker to items without them, the last changed first. Returns notices. */
export async function embedOld(
  { db, envelope }: { db: Database; envelope: Envelope },
  embed: Embed,
  { owner, made_by }: { owner: Owner; made_by: string },
): Promise<string[]> {
  const found = await itemStore.listUnembedded(db, owner, made_by, most_old + 1);
  const old = found.slice(0, most_old);
  for (let start = 0; start < old.length; start += old_of_request) {
    const batch = await Promise.all(
      old.slice(start, start + old_of_request).map(async (row) => {
        const { value, index } = await openItem(envelope, owner, row);
        return { row, texts: textsOf(value, index).slice(0, most_texts) };
      }),
    );
    const texts = batch.flatMap((one) => one.texts);
    const asked =
      texts.length === 0 ? { done: { made_by, vectors: [] } } : await attempt(async () => await embed(texts));
    if ('failed' in asked) return [`${unembedded}: ${asked.failed}`];
    // A model that changes between two requests made vectors that this search does not compare.
    const { made_by: maker = made_by, vectors } = asked.done;
    await db.transaction(async (tx) => {
      let at = 0;
      for (const { row, texts: own } of batch) {
        const made = vectors.slice(at, (at += own.length)).filter((one) => one !== undefined);
        const sealed = await sealVectors(envelope, owner, row.address, { made_by: maker, vectors: made });
        await itemStore.putVectors(tx, owner, { ...row, ...sealed });
      }
    });
  }
  return found.length > old.length ? [`${unembedded}; the next searches make them`] : [];
}

const unembedded = 'some items were searched by their words, because they have no vectors of the model yet';

/** A refusal, or the result. */
async function attempt<T>(work: () => Promise<T>): Promise<{ done: T } | { failed: string }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { failed: error.detail };
  }
}
