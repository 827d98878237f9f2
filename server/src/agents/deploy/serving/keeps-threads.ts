// For the features that keep something for agents: whether the serving revision leaves its threads to the service.
export { keepsThreads } from '../kept-memory-store.ts';
