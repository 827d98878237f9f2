import { Problem } from '@gantry/contract/problems.ts';
import { DocumentUnreadable } from './source.ts';

/** For `catch`: a source that cannot be listed ends the refresh, because all its documents would seem to be gone. */
export function sourceFailed(name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof DocumentUnreadable)) throw error;
    throw new Problem('source_failed', { detail: `${name} cannot be listed: ${error.message}.` });
  };
}
