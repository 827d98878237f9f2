import type { RequiredPython } from '@gantry/contract/dependencies/pyproject-metadata.ts';
import { satisfies } from '@gantry/contract/dependencies/python-version.ts';
import { Problem } from '@gantry/contract/problems.ts';

/** Refuses a project for another Python than the base image has, before anything is resolved. Raises `python_unavailable`. */
export function requirePython(python_version: string, required: readonly RequiredPython[]): void {
  const unmet = required.filter(({ specifier }) => !satisfies(python_version, specifier));
  const [first] = unmet;
  if (first === undefined) return;
  const { file, line, specifier } = first;
  throw new Problem('python_unavailable', {
    detail: `The project needs Python ${specifier} (${file}:${line}), and agents run on ${python_version} here.`,
    hint: `Widen requires-python so that it allows ${python_version}, or ask an admin for another base image.`,
    fields: {
      required: unmet.map((one) => ({ source: `${one.file}:${one.line}`, specifier: one.specifier })),
      available: [python_version],
    },
  });
}
