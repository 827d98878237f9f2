import { namesSomeKind } from '@gantry/contract/people/asset-globs.ts';
import { Problem } from '@gantry/contract/problems.ts';

// A pattern that can match nothing is a mistake that otherwise appears only in a failed pipeline.
export function refuseIdle(patterns: readonly string[]): void {
  const idle = patterns.filter((pattern) => !namesSomeKind(pattern));
  if (idle.length > 0)
    throw new Problem('invalid', {
      detail: `No kind of asset matches ${idle.join(', ')}.`,
      hint: 'Write the kind as in a reference: agents/*, tools/search, knowledge-bases/*.',
      errors: idle.map((pattern) => ({ pointer: '/allowed_assets', message: `${pattern} matches nothing` })),
    });
}
