import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Sealer } from '../governance/proof/sealing/sealer.ts';
import { ok, problem, warning, type Check } from './doctor.ts';

/** Checks that the audit log is signed and anchored outside. */
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
        return problem(
          `new entries are not signed: ${trouble}`,
          'Correct this fault; signing then continues by itself.',
        );
      if (anchor_file === undefined)
        return warning(
          'it is signed, but no checkpoint leaves this machine: a truncation would stay unnoticed',
          'Set AUDIT_ANCHOR_FILE to a file on another volume (docs/guide/governance.md).',
        );
      // Without its mount, the directory belongs to the volume below.
      const [anchor, own] = await Promise.all([stat(dirname(anchor_file)), stat(data_dir)]);
      if (anchor.dev === own.dev)
        return warning(
          `it is signed, but ${anchor_file} is on the volume of the service's data: one fault can destroy both`,
          'Mount the intended volume, or set AUDIT_ANCHOR_FILE to a file on another volume.',
        );
      return ok(`it is signed, and anchored by ${anchor_file}`);
    },
  };
}
