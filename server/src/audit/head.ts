export { governanceHead } from './chain-store.ts';
