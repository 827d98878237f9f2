import { Problem } from '@gantry/contract/problems.ts';

/** PostgreSQL keeps no NUL character and no half of a surrogate pair, and what is approved must come back as it was. */
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
