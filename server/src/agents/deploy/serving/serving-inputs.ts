// For the features that call agents: the inputs that the serving revisions take.
export { servingInputs, type ServingInput } from '../store.ts';
