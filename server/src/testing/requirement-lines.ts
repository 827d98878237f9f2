import type { ResolverLine } from '@gantry/contract/dependencies/resolver-lines.ts';

/** The lines of a requirements.txt as the resolver gets them, without the check that a push makes of them. */
export function requirementLines(text: string, file = 'requirements.txt'): ResolverLine[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, source: `${file}:${index + 1}` }))
    .filter(({ line }) => line.trim() !== '' && !line.startsWith('#'));
}
