// For those who show a server: how many containers of it run.
export { countOf as countContainers } from './side-container-store.ts';
