// The Python versions for agents. Each is a base image. The default one serves every project without another requirement.
import { Problem } from '@gantry/contract/problems.ts';
import { firstUse } from '../../../ground/first-use.ts';
import { findImage } from '../../docker/base-image.ts';
import { nameImage, obtainPythons, pythonImage, type Waiter } from './obtain-python.ts';
import type { Sandboxes } from '../sandboxes.ts';

export interface Pythons {
  /** The minor versions that BASE_IMAGES names, such as `3.13`, newest first. */
  further: readonly string[];
  /** The minor versions that `obtain` can try. */
  obtainable: readonly string[];
  /**
   * The sandboxes for this version, `3.13` or `3.13.5`, by default for the default Python. For a version that was never obtained, the
   * default ones. Throws `base_image_missing`.
   */
  sandboxes(python?: string): Promise<Sandboxes>;
  /** The same for an obtainable version, which is obtained first if necessary. Throws `python_unavailable`. */
  obtain(python: string, waiter: Waiter): Promise<Sandboxes>;
  close(): void;
}

export interface PythonSettings {
  /** Minor versions with the image that an operator gave them. */
  base_images: Readonly<Record<string, string>>;
  /** Minor versions with their public image. */
  published: Readonly<Record<string, string>>;
  obtain: boolean;
  opening_ms: number;
}

/** An image is opened at its first use. */
export function openPythons(
  usual: () => Promise<Sandboxes>,
  { base_images, published, obtain, opening_ms }: PythonSettings,
): Pythons {
  const closing = new AbortController();
  const on = async (reference: string) => await (await usual()).on(reference, AbortSignal.timeout(opening_ms));
  const named = new Map(
    Object.entries(base_images).map(([minor, reference]) => [
      minor,
      firstUse(async () => {
        const sandboxes = await on(reference);
        requireMinor(reference, minor, sandboxes.facts.python_version);
        return sandboxes;
      }),
    ]),
  );
  const obtained = new Map<string, { id: string; open: () => Promise<Sandboxes> }>();
  const obtainImage = obtainPythons(usual, published, closing.signal);

  /** By id, because the name can move to another image. */
  async function find(minor: string): Promise<Sandboxes | undefined> {
    const { engine } = await usual();
    const reference = published[minor];
    if (reference === undefined) return undefined;
    const image = (await findImage(engine, pythonImage(engine, minor))) ?? (await findImage(engine, reference));
    if (image === undefined) return undefined;
    const { id } = image;
    const before = obtained.get(minor);
    if (before?.id === id) return await before.open();
    const open = firstUse(async () => await on(id));
    obtained.set(minor, { id, open });
    return await open();
  }

  return {
    further: [...named.keys()].toSorted((a, b) => newerFirst(a, b)),
    obtainable: obtain ? Object.keys(published) : [],
    sandboxes: async (python) => {
      const first = await usual();
      if (python === undefined || minorOf(python) === minorOf(first.facts.python_version)) return first;
      const minor = minorOf(python);
      return (await named.get(minor)?.()) ?? (await find(minor)) ?? first;
    },
    obtain: async (python, waiter) => {
      const there = await find(python);
      if (there !== undefined) {
        await nameImage(there.engine, python, there.base.id);
        return there;
      }
      await obtainImage(python, waiter);
      const made = await find(python);
      if (made === undefined) throw new Error(`the engine lost the image of Python ${python}`);
      return made;
    },
    close: () => closing.abort(),
  };
}

/** `3.13.5` → `3.13` */
export const minorOf = (python: string): string => python.split('.').slice(0, 2).join('.');

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
