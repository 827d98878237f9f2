import type { Forgets } from '../../governance/access/forgets.ts';
import { forgetContentsOf } from '../../ground/runs/forget-contents.ts';
import { kind } from './runs/orchestration-run.ts';

/** Inputs, texts and outputs of runs that the user began. */
export const forgets: Forgets[] = [
  { what: 'orchestration_runs', forget: async (tx, { id }) => await forgetContentsOf(tx, kind, id) },
];
