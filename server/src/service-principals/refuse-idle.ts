import { namesSomeKind } from '@gantry/contract/asset-globs.ts';
import { Problem } from '@gantry/contract/problems.ts';

// A pattern that can match nothing is a mistake, and one that is found only when the pipeline fails.
export function refuseIdle(patterns: readonly string[]): void {
  const idle = patterns.filter((pattern) => !namesSomeKind(pattern));
  if (idle.length > 0)
    throw new Problem('invalid', {
      detail: `No kind of asset is called like that: ${idle.join(', ')}.`,
      hint: 'Write the kind as in references: agents/*, tools/search, knowledge-bases/*.',
      errors: idle.map((pattern) => ({ pointer: '/allowed_assets', message: `${pattern} matches nothing` })),
    });
}
