export { isOpen as isOpenRun } from './store.ts';
