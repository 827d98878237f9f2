import { Problem } from '@gantry/contract/problems.ts';

/** The refusal of an archive over a limit; `file` where one file is over it. */
export function archiveTooLarge(detail: string, file?: string): Problem {
  return new Problem('archive_too_large', {
    detail,
    hint: 'Leave out files that the agent does not need at run time: data, models, build output.',
    ...(file === undefined ? {} : { errors: [{ file, message: detail }] }),
  });
}
