import { derivedId } from '../../invoke/calls/derived-id.ts';

/** The run id of a member's call: the same after a crash. An attempt of its own has another one. */
export const memberRunId = (run_id: string, path: string, attempt: number): string =>
  derivedId(run_id, path, String(attempt));
