import { printSetting } from '@gantry/contract/people/org.ts';
import type { OrgFileDifference } from '../people/principals/org-settings.ts';
import { ok, warning, type Check } from './doctor.ts';

/** Compares the organisation settings in effect with this server's file. */
export function orgFileCheck(path: string, differences: () => Promise<OrgFileDifference[]>): Check {
  return {
    part: 'organisation settings',
    look: async () => {
      const found = await differences();
      if (found.length === 0) return ok(`they match ${path}`);
      const each = found.map(
        ({ key, in_file, in_effect }) =>
          `${key} is ${printSetting(in_effect)}, and ${printSetting(in_file)} in the file`,
      );
      return warning(
        `they differ from ${path}: ${each.join('; ')}`,
        'Reload the file (SIGHUP, or a restart), and use the same file on every server of this database.',
      );
    },
  };
}
