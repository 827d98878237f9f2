// The store of an agent for one owner. A run reaches the items of its end caller, or those that its memory config shares. Nothing in a request
// can name another owner.
import { Problem } from '@gantry/contract/problems.ts';
import type { ItemOp, ItemResult } from '@gantry/contract/agents/memory.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import { askingRun } from '../door/open-run.ts';
import { refuseFull } from '../quota.ts';
import { scopeOf } from '../scope-store.ts';
import type { MemoryParts } from '../parts.ts';
import * as itemStore from '../item-store.ts';
import { embedOld, embedOps, nothingEmbedded } from './embed-items.ts';
import { operations, type Owned } from './operations.ts';
import { ownerOfItems, requireOwnItems } from './owner.ts';
import { searchingOfAgent, searchingOfRun, type ItemParts, type Request, type Searching } from './searching.ts';

/** A search opens all items of an owner. */
const most_items = 10_000;

interface CarriedOut {
  /** In the order of the operations. */
  results: ItemResult[];
  /** What was done by words, because no model has made vectors for it. For people. */
  notices: string[];
}

/** Throws `run_refused` or `memory_full`; then nothing is written. */
export async function carryOutItems(
  parts: ItemParts,
  { caller, ops, signal }: { caller: Caller; ops: readonly ItemOp[]; signal: AbortSignal },
): Promise<CarriedOut> {
  const { run, owner } = await askingRun(parts.db, caller);
  const scope = await scopeOf(parts.db, run.revision_id);
  if (scope === undefined) throw new Error(`revision ${run.revision_id} is gone`);
  const searching = await searchingOfRun(parts, run, { origin: caller.origin, signal });
  return await carryOut(parts, ownerOfItems(scope, owner.owner_id), ops, searching);
}

/** The same for the owner alone, who needs no open run. Throws `memory_full` and `forbidden`; then nothing is written. */
export async function itemsOfCaller(
  parts: ItemParts,
  { agent, owner_id, ops }: { agent: { id: string; ref: string }; owner_id: string; ops: readonly ItemOp[] },
  request: Request & { trace: TraceContext },
): Promise<CarriedOut> {
  await requireOwnItems(parts.db, agent);
  const owner = { agent_id: agent.id, owner: `user ${owner_id}`, owner_id };
  const searching = await searchingOfAgent(parts, { agent_id: agent.id, caller_id: owner_id }, request);
  return await carryOut(parts, { owner, writer_id: null }, ops, searching);
}

async function carryOut(
  { db, envelope }: MemoryParts,
  owned: Owned,
  ops: readonly ItemOp[],
  { paths, embed }: Searching,
): Promise<CarriedOut> {
  const { owner } = owned;
  const asked = ops.map((one) => (one.op === 'put' ? { ...one, index: one.index ?? paths } : one));
  const isWriting = asked.some((one) => one.op === 'put' && one.value !== null);
  if (isWriting) {
    await refuseFull(db, owner, 0);
    if ((await itemStore.countItems(db, owner)) + ops.length > most_items)
      throw new Problem('memory_full', {
        detail: `An agent's store has at most ${most_items} items for one caller, or for all who share them.`,
      });
  }
  // A model can take seconds, and no transaction waits for it.
  const embedded = embed === undefined ? nothingEmbedded : await embedOps(embed, asked);
  const { made_by } = embedded;
  const isSearched = asked.some((one) => one.op === 'search' && embedded.vectorsOf(one).length > 0);
  const notices =
    embed !== undefined && made_by !== undefined && isSearched
      ? await embedOld({ db, envelope }, embed, { owner, made_by })
      : [];
  const results = await db.transaction(async (tx) => {
    const at = operations(tx, envelope, { owned, embedded });
    const done: ItemResult[] = [];
    for (const one of asked) done.push(await at[one.op](one as never)); // the record pairs each name with its operation
    return done;
  });
  return { results, notices: [...embedded.notices, ...notices] };
}
