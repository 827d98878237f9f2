import { Problem } from '@gantry/contract/problems.ts';

/** PostgreSQL stores no NUL character and no half of a surrogate pair, and approved text must come back unchanged. */
export function requireStorable(value: unknown, pointer: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) throw notText(pointer);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    requireStorable(key, pointer);
    requireStorable(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

function notText(pointer: string): Problem {
  return new Problem('invalid', { errors: [{ pointer, message: 'must be text, without NUL characters' }] });
}
