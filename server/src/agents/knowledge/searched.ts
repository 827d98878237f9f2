// What a search reads: the chunks that an index has of the serving snapshot of each of its bases. A base alone is an index of itself, without vectors.
import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import type { RagIndexConfig } from '@gantry/project/asset-config/rag-index.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import { LRUCache } from 'lru-cache';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetsById, type AssetRecord } from '../../assets/registry/find.ts';
import { storedConfig } from '../../assets/registry/versions/stored-config.ts';
import { digestOf } from '../../assets/registry/content.ts';
import type { Part } from './chunk-store.ts';
import * as indexes from './index-store.ts';
import * as snapshots from './snapshot-store.ts';

/** Another way of cutting chunks is another number. */
const cutter = 1;
/** Without an index. */
export const of_base = { chunk_size: 1000, chunk_overlap: 100, top_k: 5 };

interface Sizes {
  chunk_size: number;
  chunk_overlap: number;
}

/** How chunks of a base are made. */
export interface Making extends Sizes {
  /** The digest of all of it. */
  settings: string;
  /** The configuration of PostgreSQL's text search. */
  dictionary: string;
  /** models/<name>; undefined: chunks have no vectors. */
  embedding: string | undefined;
}

/** A model that orders what was found. No chunk and no vector depends on it. */
export interface Reranking {
  /** models/<name> */
  model: string;
  top: number;
}

/** What a base or an index reads, and how. */
export interface Searched {
  parts: SearchedPart[];
  top_k: number;
  reranking: Reranking | undefined;
}

export interface SearchedPart extends Part {
  base: AssetRecord;
  making: Making;
  snapshot: { id: string; number: number; config: string; erasures: number };
}

/** Those of PostgreSQL. Words of other languages are compared as they are. */
const dictionaries: Record<string, string> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  nb: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};

export function makingOf(base: Pick<KnowledgeBaseConfig, 'language'>, index?: RagIndexConfig): Making {
  const { chunk_size, chunk_overlap } = index ?? of_base;
  const dictionary = dictionaries[base.language?.split('-')[0] ?? ''] ?? 'simple';
  const embedding = index?.embedding_model.ref;
  const settings = digestOf({ cutter, chunk_size, chunk_overlap, dictionary, embedding: embedding ?? null });
  return { chunk_size, chunk_overlap, dictionary, embedding, settings };
}

export function rerankingOf(index?: RagIndexConfig): Reranking | undefined {
  return index?.rerank_model && { model: index.rerank_model.ref, top: index.rerank_top };
}

// A content never changes under its digest, which covers the ids of what it refers to. So each search needs no reading of it. Characters of JSON.
function readOnce<Content extends object>() {
  const sizeCalculation = (one: Content) => JSON.stringify(one).length;
  const known = new LRUCache<string, Content>({ maxSize: 16_000_000, sizeCalculation });
  return async (digest: string, load: () => Promise<Content>): Promise<Content> => {
    const before = known.get(digest);
    if (before !== undefined) return before;
    const loaded = await load();
    known.set(digest, loaded);
    return loaded;
  };
}
const baseOnce = readOnce<KnowledgeBaseConfig>();
const indexOnce = readOnce<IndexContent>();

/** The config of this content. Throws for one that is no longer accepted. */
export async function baseConfig(db: Reader, base: AssetRecord, digest: string): Promise<KnowledgeBaseConfig> {
  return await baseOnce(digest, async () => read('knowledge-base', base, (await storedConfig(db, digest)).config));
}

export interface IndexContent {
  config: RagIndexConfig;
  base_ids: string[];
}

export async function indexContent(db: Reader, index: AssetRecord, digest: string): Promise<IndexContent> {
  return await indexOnce(digest, async () => {
    const { config, pins } = await storedConfig(db, digest);
    const base_ids = pins.flatMap(({ ref, asset_id }) => (parseRef(ref)?.kind === 'knowledge-base' ? [asset_id] : []));
    return { config: read('rag-index', index, config), base_ids };
  });
}

/** The indexes that were built over a base, each with the config that it was built with. */
export async function builtOver(
  db: Reader,
  base: AssetRecord,
): Promise<{ index: AssetRecord; config: RagIndexConfig }[]> {
  const rows = await indexes.ofBase(db, base.id);
  const found = await findAssetsById(
    db,
    rows.map(({ index_id }) => index_id),
    null,
  );
  return await Promise.all(
    found.map(async (index) => {
      const { config = '' } = rows.find(({ index_id }) => index_id === index.id) ?? {};
      return { index, config: (await indexContent(db, index, config)).config };
    }),
  );
}

/** What a search of a base or an index reads. Without parts, no snapshot serves, or the index was not built. */
export async function searchedIn(db: Reader, asset: AssetRecord): Promise<Searched> {
  const base = { parts: [], top_k: of_base.top_k, reranking: undefined };
  if (asset.asset_kind === 'knowledge-base')
    return { ...base, parts: await partsOf(db, asset, { base_ids: [asset.id] }) };
  const built = await indexes.find(db, asset.id);
  if (built === undefined || built.config === null) return base;
  const { config, base_ids } = await indexContent(db, asset, built.config);
  const parts = await partsOf(db, asset, { base_ids, config });
  return { parts, top_k: config.top_k, reranking: rerankingOf(config) };
}

/** What an index with this config would search now. */
export async function partsOf(
  db: Reader,
  index: AssetRecord,
  { base_ids, config }: { base_ids: readonly string[]; config?: RagIndexConfig },
): Promise<SearchedPart[]> {
  const [serving, found] = await Promise.all([snapshots.servingOf(db, base_ids), findAssetsById(db, base_ids, null)]);
  const bases = new Map(found.map((base) => [base.id, base]));
  const parts: SearchedPart[] = [];
  for (const snapshot of serving) {
    const base = bases.get(snapshot.base_id);
    if (base !== undefined) parts.push(await partOf(db, { index, base, snapshot, config }));
  }
  return parts;
}

/** What an index with this config, or the base itself, would search in this snapshot. */
export async function partOf(
  db: Reader,
  {
    index,
    base,
    snapshot,
    config,
  }: { index: AssetRecord; base: AssetRecord; snapshot: SearchedPart['snapshot']; config?: RagIndexConfig | undefined },
): Promise<SearchedPart> {
  const making = makingOf(await baseConfig(db, base, snapshot.config), config);
  return { index_id: index.id, settings: making.settings, snapshot_id: snapshot.id, base, making, snapshot };
}

function read<K extends 'knowledge-base' | 'rag-index'>(
  kind: K,
  { ref }: AssetRecord,
  stored: Record<string, unknown>,
) {
  const { config } = parseAssetConfig(kind, JSON.stringify(stored), 'config');
  if (config === undefined) throw new Error(`a config of ${ref} is no longer accepted`);
  return config;
}
