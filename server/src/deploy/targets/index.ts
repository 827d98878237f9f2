// The only map of targets, from their names. A deploy to any other name is refused before the build.
import { Problem } from '@gantry/contract/problems.ts';
import { localTarget, reachLocal } from './local.ts';
import type { Target } from './target.ts';

export interface Targets {
  local: Target;
  [name: string]: Target;
}

/** A target opens its connections at its first use, so the service starts even without its engine. */
export function targets(settings: { local: Parameters<typeof localTarget>[0] }): Targets {
  return { local: localTarget(settings.local) };
}

export type Reaches = Readonly<Record<string, Target['reach']>>;

/** For a process that calls instances and opens no engine. */
export const reaches: Reaches = { local: reachLocal };

export function reachesOf(of: Readonly<Record<string, Target>>): Reaches {
  return Object.fromEntries(
    Object.entries(of).map(([name, target]) => [name, async (place, url) => await target.reach(place, url)]),
  );
}

/** The part of the target with this name. Throws `engine_unavailable`, because another service may have run it. */
export function findTarget<Part>(of: Readonly<Record<string, Part>>, name: string): Part {
  const found = Object.hasOwn(of, name) ? of[name] : undefined;
  if (found === undefined) throw new Problem('engine_unavailable', { detail: `This service has no target ${name}.` });
  return found;
}
