import { catalogueName } from '@gantry/project/model-providers.ts';
import { namePattern } from '@gantry/contract/refs.ts';
import { misuse } from '../refusal.ts';

const rule = 'lower-case letters, digits and hyphens, at most 63, and a letter at the beginning';

/** A provider's name such as gpt-4.1 is no name of the catalogue. The refusal has the command that keeps both, with these flags. */
export function refuseName(name: string, flags: string): void {
  if (namePattern.test(name)) return;
  throw misuse(
    `"${name}" cannot be a name in the catalogue: it takes ${rule}`,
    `Give it another name there: \`svc model add ${catalogueName(name)} ${flags}\`. Agents may call it by both names.`,
  );
}

/** Refuses the first name of a file that does not fit, before anything is added. */
export function refuseNames(names: readonly string[], file: string): void {
  const faulty = names.find((name) => !namePattern.test(name));
  if (faulty === undefined) return;
  throw misuse(
    `"${faulty}" in ${file} cannot be a name in the catalogue: it takes ${rule}. Nothing was added`,
    `Write it like \`${catalogueName(faulty)}: {model: ${faulty}, …}\`.`,
  );
}
