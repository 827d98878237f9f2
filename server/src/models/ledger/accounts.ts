// Functions for higher folders.
export {
  clock,
  forgetProcess,
  lockAccounts,
  openAccounts,
  overdueHolds,
  pauseAccounts,
  payingAgents,
  resumeAccount,
  seeProcess,
} from './store.ts';
