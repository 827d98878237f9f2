export { lockAccounts, openAccounts } from './store.ts';
