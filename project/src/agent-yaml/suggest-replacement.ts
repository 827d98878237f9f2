/**
 * The replacement of a scalar with only one plausible meaning. It is a suggestion; `svc validate --fix` applies it.
 */
export function suggestReplacement({
  path,
  written,
  expected,
}: {
  path: readonly PropertyKey[];
  written: string;
  expected: string | undefined;
}): string | undefined {
  const field = path.join('.');
  if (field === 'version') return threeParts(written);
  if (field === 'deploy.resources.memory') return asMemory(written);
  if (expected === 'string') return JSON.stringify(written);
  if (expected === 'number' || expected === 'int')
    return /^\d{1,15}(?:\.\d{1,15})?$/.test(written) ? String(Number(written)) : undefined;
  if (expected === 'boolean') return asBoolean.get(written.toLowerCase());
  if (expected === 'array') return /^[\w.:/@-]+$/.test(written) ? `[${written}]` : undefined;
  if (expected !== undefined) return undefined;
  if (field === 'name' || field === 'team') return asName(written);
  return undefined;
}

/** YAML 1.2 reads these as text, and `1.10` as the number 1.1: so the written digits are used. */
function threeParts(written: string): string | undefined {
  const [, major, minor = '0', patch = '0'] = /^v?(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?$/i.exec(written) ?? [];
  return major === undefined ? undefined : [major, minor, patch].map(Number).join('.');
}

const asBoolean: ReadonlyMap<string, string> = new Map([
  ...['yes', 'on', 'y', '1'].map((word) => [word, 'true'] as const),
  ...['no', 'off', 'n', '0'].map((word) => [word, 'false'] as const),
]);

function asName(written: string): string | undefined {
  const slug = written
    .toLowerCase()
    .replaceAll(/[\s_.]+/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/-{1,63}$/, '');
  return slug === '' || slug === 'true' || slug === 'false' || slug === 'null' ? undefined : slug;
}

function asMemory(written: string): string | undefined {
  const [, count, unit] = /^(\d{1,6})\s?([kmgt])?(?:i?b)?$/i.exec(written) ?? [];
  return count === undefined ? undefined : `${count}${(unit ?? 'M').toUpperCase()}i`;
}
