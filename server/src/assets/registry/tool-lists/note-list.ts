// For those who ask servers: what one has listed is a fact that its owner reads.
export { putList as noteList } from '../tool-list-store.ts';
