import type { ResolverLine } from '@gantry/project/dependencies/resolver-lines.ts';

/** The lines of a requirements.txt in the resolver's form, without a push's check. */
export function requirementLines(text: string, file = 'requirements.txt'): ResolverLine[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, source: `${file}:${index + 1}` }))
    .filter(({ line }) => line.trim() !== '' && !line.startsWith('#'));
}
