export { lockAccounts, openAccounts, payingAgents } from './store.ts';
