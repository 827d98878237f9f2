import { Problem } from '@gantry/contract/problems.ts';

/** The fields of a form; an empty one counts as absent (RFC 6749, section 3.2). Throws `invalid` for one that is sent twice. */
export function readForm(bytes: Uint8Array): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(Buffer.from(bytes).toString())) {
    if (fields.has(name)) throw new Problem('invalid', { detail: `A field is sent twice: ${name.slice(0, 50)}.` });
    if (value !== '') fields.set(name, value);
  }
  return fields;
}

/** Throws `invalid`. */
export function required(form: ReadonlyMap<string, string>, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new Problem('invalid', { detail: `The field ${name} is absent.` });
  return value;
}
