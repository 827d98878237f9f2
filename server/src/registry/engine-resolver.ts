import { resolveRequirements } from '../engine/resolve.ts';
import type { Sandboxes } from '../engine/sandboxes.ts';
import type { Resolver } from './resolver.ts';

/** Resolves in sandboxes of the container engine, which are opened when the first push needs them. */
export function engineResolver(sandboxes: () => Promise<Sandboxes>): Resolver {
  return {
    baseImage: async () => {
      const { base, facts } = await sandboxes();
      return { id: base.id, python_version: facts.python_version };
    },
    resolve: async (request) => await resolveRequirements(await sandboxes(), request),
  };
}
