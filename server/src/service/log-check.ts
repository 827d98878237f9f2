import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Sealer } from '../proof/checkpoints/sealer.ts';
import { ok, problem, warning, type Check } from './doctor.ts';

/** Whether the audit log is signed as it should be, and outside too. */
export function logCheck(
  sealer: Pick<Sealer, 'fault' | 'trouble'>,
  { anchor_file, data_dir }: { anchor_file: string | undefined; data_dir: string },
): Check {
  return {
    part: 'audit log',
    look: async () => {
      const fault = sealer.fault();
      if (fault !== undefined)
        return problem(fault, 'Run `svc audit verify`; after a restore, on the host: svc audit reseal --reason "…".');
      const trouble = sealer.trouble();
      if (trouble !== undefined)
        return problem(`nothing new is signed: ${trouble}`, 'Mend what it names; signing goes on by itself.');
      if (anchor_file === undefined)
        return warning(
          'it is signed, and no checkpoint leaves this machine: nothing would show that its end was cut off',
          'Set AUDIT_ANCHOR_FILE to a file on another volume (docs/guide/governance.md).',
        );
      // A volume that is not mounted leaves a directory of the one below it.
      const [anchor, own] = await Promise.all([stat(dirname(anchor_file)), stat(data_dir)]);
      if (anchor.dev === own.dev)
        return warning(
          `it is signed, and ${anchor_file} is on the same volume as the service's data: what destroys or changes the one has the other`,
          'Mount the volume that it is meant for, or set AUDIT_ANCHOR_FILE to a file on another.',
        );
      return ok(`it is signed, and anchored by ${anchor_file}`);
    },
  };
}
