// Poetry's versions in PEP 440: `^1.2` is `>=1.2,<2`, `~1.2` is `>=1.2,<1.3`, `1.2` is `==1.2`.

/** The alternatives between `||`, each in PEP 440 and `` for any version; undefined when a part is unreadable. */
export function poetryVersions(written: string): string[] | undefined {
  const alternatives = written.split(/\|\|?/).map(translate);
  return alternatives.every((alternative) => alternative !== undefined) ? alternatives : undefined;
}

function translate(written: string): string | undefined {
  // `>= 1.0` is one part, `>=1.0 <2.0` are two.
  const parts = written
    .trim()
    .replaceAll(/(\^|~=?|[<>=!]=?=?)\s+/g, '$1')
    .split(/[,\s]+/);
  const translated = parts.filter((part) => part !== '').map(onePart);
  return translated.every((part) => part !== undefined)
    ? translated.filter((part) => part !== '').join(',')
    : undefined;
}

function onePart(part: string): string | undefined {
  if (part === '*') return '';
  const [, operator = '', version = ''] = /^(\^|~=|~|===?|!=|<=|>=|<|>|=)?v?(\d[A-Za-z0-9.*+!_-]*)$/.exec(part) ?? [];
  if (version === '') return undefined;
  const numbers = /^\d+(?:\.\d+)*/.exec(version)?.[0].split('.').map(Number) ?? [];
  switch (operator) {
    case '^':
      return `>=${version},<${caretEnd(numbers)}`;
    case '~':
      return `>=${version},<${raised(numbers, Math.min(1, numbers.length - 1))}`;
    case '':
    case '=':
      return `==${version}`;
    default:
      return operator + version;
  }
}

/** The first number that is not 0 must not change; in a version of zeros, the last written one. */
function caretEnd(numbers: readonly number[]): string {
  const first = numbers.findIndex((number) => number !== 0);
  return raised(numbers, first < 0 ? numbers.length - 1 : first);
}

function raised(numbers: readonly number[], index: number): string {
  return [...numbers.slice(0, index), (numbers[index] ?? 0) + 1].join('.');
}
