// A label of a prompt, such as production, means one of its versions. The folder prompts of the agents decides who moves it.
export { insertMove, labelNow, labelsOf, moveOf, movesOf, type LabelMove } from '../prompt-label-store.ts';
