import type { RequiredPython } from '@gantry/contract/dependencies/pyproject-metadata.ts';
import { satisfies } from '@gantry/contract/dependencies/python-version.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { BaseImage, Resolver } from './resolver.ts';

export interface PythonWish {
  /** The constraints of the project's files. */
  required: readonly RequiredPython[];
  /** The preference of langgraph.json, taken where it is available. */
  preferred: string | undefined;
}

/**
 * The base image for a project: the preferred Python, else the usual one, else the newest allowed one. Throws `python_unavailable` and
 * `base_image_missing`, before anything is resolved.
 */
export async function chooseBaseImage(resolver: Resolver, { required, preferred }: PythonWish): Promise<BaseImage> {
  const usual = await resolver.baseImage();
  const allows = (python: string) => required.every(({ specifier }) => satisfies(python, specifier));
  if (preferred !== undefined && resolver.further_pythons.includes(preferred) && allows(preferred)) {
    const base = await resolver.baseImage(preferred);
    if (allows(base.python_version)) return base;
  }
  if (allows(usual.python_version)) return usual;
  for (const python of resolver.further_pythons.filter(allows)) {
    const base = await resolver.baseImage(python);
    if (allows(base.python_version)) return base;
  }
  throw unavailable(required, [usual.python_version, ...resolver.further_pythons]);
}

function unavailable(required: readonly RequiredPython[], available: string[]): Problem {
  const unmet = required.filter(({ specifier }) => !available.some((python) => satisfies(python, specifier)));
  const named = unmet.length === 0 ? required : unmet;
  const places = named.map(({ file, line, specifier }) => `${specifier} (${file}:${line})`).join(' and ');
  return new Problem('python_unavailable', {
    detail: `The project needs Python ${places}, and this service has ${available.join(', ')}.`,
    hint: `Widen requires-python to allow one of ${available.join(', ')}, or ask an admin to add one to BASE_IMAGES.`,
    fields: {
      required: named.map((one) => ({ source: `${one.file}:${one.line}`, specifier: one.specifier })),
      available,
    },
  });
}
