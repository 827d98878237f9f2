// The stored chains for higher folders that check, sign, prove and prune them. All hashes are in hex.
import * as chain from './chain-store.ts';
import * as store from './store.ts';

export type { Position } from './chain-store.ts';
export type { Row } from './store.ts';

export const headOf = chain.headOf;
export const heads = chain.heads;
export const governanceHead = chain.governanceHead;
export const storedEntry = chain.entryAt;
export const storedEntries = chain.entriesAfter;
export const prunedUpTo = chain.prunedUpTo;
/** Only for a prune, which has its own entry. */
export const deleteEntries = chain.deleteEntries;
/** For the receipt of a writer that died before its answer. */
export const newestAbout = store.newestAbout;
