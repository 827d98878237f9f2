// Functions for higher folders.
export { clock, lockAccounts, openAccounts, overdueHolds, payingAgents } from './store.ts';
