import { globMatches } from '@gantry/project/model-globs.ts';

export interface RightsRule {
  documents: string;
  readers: readonly string[];
}

/** The names of those who find a document, as its base and its source say. Undefined: everyone who may use the base. */
export function readersOf(
  path: string,
  rules: readonly RightsRule[],
  own?: readonly string[],
): readonly string[] | undefined {
  const by_rule = rules.find(({ documents }) => globMatches(documents, path))?.readers;
  if (by_rule === undefined || own === undefined) return own ?? by_rule;
  // Both must allow it.
  return own.filter((name) => by_rule.includes(name));
}
