// Functions for higher folders.
export {
  clock,
  lockAccounts,
  openAccounts,
  overdueHolds,
  pauseAccounts,
  payingAgents,
  resumeAccount,
} from './store.ts';
