/** For a prune alone, which says so in the log. */
export { deleteEntries } from './store.ts';
