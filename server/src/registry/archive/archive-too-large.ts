import { Problem } from '@gantry/contract/problems.ts';

/** The refusal of an archive that is over a limit; `file` where it is about one. */
export function archiveTooLarge(detail: string, file?: string): Problem {
  return new Problem('archive_too_large', {
    detail,
    hint: 'Leave out what the agent does not need to run: data, models, build output.',
    ...(file === undefined ? {} : { errors: [{ file, message: detail }] }),
  });
}
