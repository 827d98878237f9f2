// What later features ask of the chains as they are stored, to check, sign, prove and prune them; all hashes in hex.
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
/** For a prune alone, which says so in the log. */
export const deleteEntries = chain.deleteEntries;
/** For a receipt whose writer did not live to tell it. */
export const newestAbout = store.newestAbout;
