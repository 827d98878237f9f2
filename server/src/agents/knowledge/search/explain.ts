// Why somebody finds what they find, for who may change the knowledge base or the index: the rank of each passage, and what rights take out. Nobody reads a text
// here, because who may change a base need not be among the readers of each document.
import type { ExplainedPassage, ExplainedSearch } from '@gantry/contract/agents/knowledge.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parsePrincipal } from '@gantry/contract/refs.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findAssetsById } from '../../../assets/registry/find.ts';
import { loadCaller } from '../../../people/principals/load-caller.ts';
import { findGrantee } from '../../permissions/find-principal.ts';
import { everything, hiddenDocuments } from '../chunk-store.ts';
import type { SearchParts } from '../parts.ts';
import { withSight } from '../rights/sight.ts';
import { questionOf } from './by-meaning.ts';
import { rank, type Ranks, type Sighted } from './rank.ts';
import { printPlace, rankedChunks, requireSearched, type AskedSearch, type RankedChunk } from './search.ts';

interface AskedWhy extends Omit<AskedSearch, 'caller'> {
  caller: SignedInCaller;
  /** user:<email>; unset: the caller. */
  for?: string | undefined;
}

/** Throws the refusal, `not_found` for an unknown person, and `nothing_serves`. */
export async function explainSearch(knowledge: SearchParts, asked: AskedWhy): Promise<ExplainedSearch> {
  const { db } = knowledge;
  const { asset, caller, query, run, signal } = asked;
  authorize(caller, 'asset.write', asset);
  const { parts: found, top_k, reranking } = await requireSearched(db, asset);
  const base_ids = found.map(({ base }) => base.id);
  for (const base of await findAssetsById(db, base_ids, caller)) authorize(caller, 'asset.write', base);
  const person = asked.for === undefined ? caller : await loadPerson(db, caller, asked.for);
  const mine = await withSight(db, person, found);
  const all = found.map((part) => ({ ...part, sight: everything }));
  // Both searches compare the same vector, which is paid once.
  const asking = { asset, query, run, signal };
  const question = await questionOf(knowledge, { ...asking, parts: found });
  const own = await rank(knowledge, { ...asking, parts: mine, question, reranking });
  // What is hidden from them goes to no reranker.
  const others = await rank(knowledge, { ...asking, parts: all, question });
  const limit = asked.limit ?? top_k;
  const passages = await rankedChunks(db, found, own.best.slice(0, limit));
  const hidden = await hiddenAmong(db, mine, await rankedChunks(db, found, others.fused));
  return {
    of: asked.for ?? caller.label,
    passages: passages.map((chunk) => explained(chunk, own)),
    taken_out: hidden.slice(0, limit).map((chunk) => explained(chunk, others)),
    notices: own.notices,
  };
}

function explained(chunk: RankedChunk, ranks: Ranks): ExplainedPassage {
  const standingIn = (list: Ranks['fused']) => standing(list, chunk.id);
  return {
    ...printPlace(chunk),
    words: standingIn(ranks.words),
    meaning: standingIn(ranks.meaning),
    reranked: standingIn(ranks.reranked),
  };
}

function standing(list: readonly { id: string; score: number }[], id: string): ExplainedPassage['words'] {
  const at = list.findIndex((one) => one.id === id);
  return at < 0 ? null : { rank: at + 1, score: list[at]?.score ?? 0 };
}

async function hiddenAmong(
  db: Reader,
  parts: readonly Sighted[],
  chunks: readonly RankedChunk[],
): Promise<RankedChunk[]> {
  const hidden = await Promise.all(
    parts.map(async ({ snapshot_id, sight }) => await hiddenDocuments(db, snapshot_id, sight)),
  );
  const isHidden = new Set(hidden.flat());
  return chunks.filter(({ document_id }) => isHidden.has(document_id));
}

async function loadPerson(db: Reader, by: SignedInCaller, name: string): Promise<SignedInCaller> {
  const principal = parsePrincipal(name);
  const id = principal?.kind === 'user' ? await findGrantee(db, 'user', principal.name) : undefined;
  const person = id === undefined ? undefined : await loadCaller(db, id, by.origin);
  if (person === undefined) throw new Problem('not_found', { detail: `There is no active person ${name}.` });
  return person;
}
