import { text } from '../command.ts';

export const targetFlag = text('The target (default: the one of its address)', 'target');

/** As typed; empty for the default target. */
export const printTargetFlag = (target: string | undefined) => (target === undefined ? '' : ` --target ${target}`);
