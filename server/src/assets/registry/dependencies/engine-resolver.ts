import { resolveLocked } from '../../workshop/resolve/resolve-locked.ts';
import { resolveRequirements } from '../../workshop/resolve/resolve.ts';
import type { Pythons } from '../../workshop/pythons/pythons.ts';
import type { Sandboxes } from '../../workshop/sandboxes.ts';
import type { BaseImage, Resolver } from './resolver.ts';

/** Resolves in sandboxes of the container engine. The first push that needs them opens them. */
export function engineResolver(pythons: Pythons): Resolver {
  return {
    further_pythons: pythons.further,
    obtainable_pythons: pythons.obtainable,
    baseImage: async (python) => baseImageOf(await pythons.sandboxes(python)),
    obtainBaseImage: async (python, waiter) => baseImageOf(await pythons.obtain(python, waiter)),
    resolve: async ({ python_version, locked, ...request }) => {
      const sandboxes = await pythons.sandboxes(python_version);
      return locked === undefined
        ? await resolveRequirements(sandboxes, request)
        : await resolveLocked(sandboxes, { ...request, locked });
    },
  };
}

function baseImageOf({ base, facts }: Sandboxes): BaseImage {
  return { pin: base.pin, python_version: facts.python_version };
}
