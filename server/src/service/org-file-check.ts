import type { OrgFileDifference } from '../principals/org-settings.ts';
import { ok, warning, type Check } from './doctor.ts';

/** Whether the organisation settings in effect are those of this server's file. */
export function orgFileCheck(path: string, differences: () => Promise<OrgFileDifference[]>): Check {
  return {
    part: 'organisation settings',
    look: async () => {
      const found = await differences();
      if (found.length === 0) return ok(`they are as ${path} has them`);
      const each = found.map(
        ({ key, in_file, in_effect }) => `${key} is ${String(in_effect)}, and ${String(in_file)} there`,
      );
      return warning(
        `they are not as ${path} has them: ${each.join('; ')}`,
        'Let the service read the file again (SIGHUP, or a restart), and give every server of this database the same file.',
      );
    },
  };
}
