export { overdueHolds } from './store.ts';
