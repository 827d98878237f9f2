export { secretUsers as findSecretUsers } from './store.ts';
