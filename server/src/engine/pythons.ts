// The Python versions for agents. Each is a base image. The default one serves every project without another requirement.
import { Problem } from '@gantry/contract/problems.ts';
import { firstUse } from '../first-use.ts';
import type { Sandboxes } from './sandboxes.ts';

export interface Pythons {
  /** Minor versions besides the default, such as `3.13`, in the order of the tries. */
  further: readonly string[];
  /** The sandboxes for this version, `3.13` or `3.13.5`, by default for the default Python. Throws `base_image_missing`. */
  sandboxes(python?: string): Promise<Sandboxes>;
}

/** `base_images` maps a minor version to an image reference. An image is opened at its first use. */
export function openPythons(
  usual: () => Promise<Sandboxes>,
  base_images: Readonly<Record<string, string>>,
  { opening_ms }: { opening_ms: number },
): Pythons {
  const opened = new Map(
    Object.entries(base_images).map(([minor, reference]) => [
      minor,
      firstUse(async () => {
        const sandboxes = await (await usual()).on(reference, AbortSignal.timeout(opening_ms));
        requireMinor(reference, minor, sandboxes.facts.python_version);
        return sandboxes;
      }),
    ]),
  );
  return {
    further: [...opened.keys()].toSorted((a, b) => newerFirst(a, b)),
    sandboxes: async (python) => {
      const first = await usual();
      if (python === undefined || minorOf(python) === minorOf(first.facts.python_version)) return first;
      return (await opened.get(minorOf(python))?.()) ?? first;
    },
  };
}

/** `3.13.5` → `3.13` */
const minorOf = (python: string): string => python.split('.').slice(0, 2).join('.');

function newerFirst(a: string, b: string): number {
  return Number(b.split('.')[1]) - Number(a.split('.')[1]);
}

function requireMinor(reference: string, minor: string, found: string): void {
  if (minorOf(found) === minor) return;
  throw new Problem('base_image_missing', {
    detail: `BASE_IMAGES names ${reference} for Python ${minor}, but the image has Python ${found}`,
    hint: 'Correct BASE_IMAGES.',
  });
}
