// Names of models and providers. Names and texts are in lower case.

/** Text stands for itself, an array for any of its members. In `digits`, each `#` is a digit. */
export type Match =
  | string
  | readonly Match[]
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { digits: string }
  | { and: readonly Match[] }
  | { not: Match };

/** No regular expression, so a name costs at most its length times that of the rule. */
export function matches(rule: Match, name: string): boolean {
  if (typeof rule === 'string') return name === rule;
  if ('starts_with' in rule) return name.startsWith(rule.starts_with);
  if ('ends_with' in rule) return name.endsWith(rule.ends_with);
  if ('contains' in rule) return name.includes(rule.contains);
  if ('digits' in rule) return matchesDigits(rule.digits, name);
  if ('and' in rule) return rule.and.every((one) => matches(one, name));
  if ('not' in rule) return !matches(rule.not, name);
  return rule.some((one) => matches(one, name));
}

function matchesDigits(pattern: string, name: string): boolean {
  return (
    pattern.length === name.length &&
    Array.from(pattern).every((wanted, n) => (wanted === '#' ? /\d/.test(name.charAt(n)) : wanted === name.charAt(n)))
  );
}
