// The only map of targets. A cloud that is not in it is refused before the build.
import type { targets as names } from '@gantry/contract/deploy.ts';
import { localTarget } from './local.ts';
import type { Target } from './target.ts';

export type Targets = Record<(typeof names)[number], Target>;

/** A target opens its connections at its first use, so the service starts even without its engine. */
export function targets(open: { local: () => Promise<Parameters<typeof localTarget>[0]> }): Targets {
  return { local: deferred(async () => localTarget(await open.local())) };
}

function deferred(open: () => Promise<Target>): Target {
  return {
    provision: async (...input) => await (await open()).provision(...input),
    start: async (...input) => await (await open()).start(...input),
    observe: async (...input) => await (await open()).observe(...input),
    drain: async (...input) => await (await open()).drain(...input),
    stop: async (...input) => await (await open()).stop(...input),
    release: async (...input) => await (await open()).release(...input),
    logs: async function* logs(...input) {
      yield* (await open()).logs(...input);
    },
    list: async (...input) => await (await open()).list(...input),
  };
}
