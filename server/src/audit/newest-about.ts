/** The number of the newest entry that answers for a row: for a receipt whose writer did not live to tell it. */
export { newestAbout } from './store.ts';
