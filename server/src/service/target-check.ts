import { Problem } from '@gantry/contract/problems.ts';
import { local_target } from '@gantry/contract/assets/targets.ts';
import { driftFaults } from '../agents/deploy/keep/note-drift.ts';
import type { Targets } from '../agents/deploy/targets/index.ts';
import type { Reader } from '../ground/database/database.ts';
import { ok, problem, type Check } from './doctor.ts';

/** Whether the targets besides `local` answer, and have what was described there. */
export function targetCheck(targets: Targets, db: Reader): Check {
  return {
    part: 'targets',
    look: async (signal) => {
      const names = (await targets.names()).filter((name) => name !== local_target);
      if (names.length === 0) return ok('no other target than local');
      const faults = await Promise.all(names.map(async (name) => await faultOf(targets, name, signal)));
      const found = faults.filter((fault) => fault !== undefined);
      if (found.length > 0) return problem(found.join('. '), 'Look at each part of one: svc target test <name>');
      const drifted = (await driftFaults(db)).filter(({ target }) => names.includes(target));
      if (drifted.length === 0) return ok(`each answers: ${names.join(', ')}`);
      return problem(drifted.map(({ fault }) => fault).join('. '), 'See it, and what mends it: svc target drift');
    },
  };
}

async function faultOf(targets: Targets, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    await (await targets.find(name)).room(signal);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return `${name}: ${error.detail}`;
    throw error;
  }
}
