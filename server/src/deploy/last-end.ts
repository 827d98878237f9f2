// For the features that call agents: why the container of a call ended.
export { lastEnd } from './event-store.ts';
