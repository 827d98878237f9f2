import { startLoop, type Loop, type LoopSettings } from '../../../ground/queue/loop.ts';
import type { TargetName } from '../parts.ts';
import type { Targets } from '../targets/index.ts';

/** A loop for each target. One without an answer delays no other. Targets come and go while the service runs. */
export function startTargetLoops(
  targets: Targets,
  work: (name: TargetName) => Promise<boolean | void>,
  settings: LoopSettings,
): Loop {
  const loops = new Map<TargetName, Loop>();
  const follow = startLoop(async () => {
    const names = await targets.names();
    for (const name of names)
      if (!loops.has(name))
        loops.set(
          name,
          startLoop(async () => await work(name), settings),
        );
    for (const [name, loop] of loops) {
      if (names.includes(name)) continue;
      loops.delete(name);
      await loop.stop();
    }
  }, settings);
  return {
    wake: () => {
      for (const { wake } of loops.values()) wake();
    },
    stop: async () => {
      await follow.stop();
      await Promise.all([...loops.values()].map(async (loop) => await loop.stop()));
    },
  };
}
