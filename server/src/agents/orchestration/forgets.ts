import type { Forgets } from '../../governance/access/forgets.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { forgetContentsOf } from '../../ground/runs/forget-contents.ts';
import { isOpenFor } from '../../ground/runs/run.ts';
import { kind } from './runs/orchestration-run.ts';

/** Inputs, texts and outputs of runs that the user began. */
export const forgets: Forgets[] = [
  {
    what: 'orchestration_runs',
    forget: async (tx, { id }) => {
      if (await isOpenFor(tx, kind, id))
        throw new Problem('conflict', {
          detail: 'A run of an orchestration of the user has not ended.',
          hint: 'Cancel it, or wait until it has ended.',
        });
      return await forgetContentsOf(tx, kind, id);
    },
  },
];
