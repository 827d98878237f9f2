import { resolveRequirements } from '../../engine/resolve.ts';
import type { Pythons } from '../../engine/pythons.ts';
import type { Sandboxes } from '../../engine/sandboxes.ts';
import type { BaseImage, Resolver } from './resolver.ts';

/** Resolves in sandboxes of the container engine. The first push that needs them opens them. */
export function engineResolver(pythons: Pythons): Resolver {
  return {
    further_pythons: pythons.further,
    obtainable_pythons: pythons.obtainable,
    baseImage: async (python) => baseImageOf(await pythons.sandboxes(python)),
    obtainBaseImage: async (python, waiter) => baseImageOf(await pythons.obtain(python, waiter)),
    resolve: async ({ python_version, ...request }) =>
      await resolveRequirements(await pythons.sandboxes(python_version), request),
  };
}

function baseImageOf({ base, facts }: Sandboxes): BaseImage {
  return { pin: base.pin, python_version: facts.python_version };
}
