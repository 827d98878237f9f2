import type { Reader } from '../ground/database/database.ts';
import { describeLosses } from '../models/traces/describe-losses.ts';
import { ok, warning, type Check } from './doctor.ts';

/** Reports spans that were not stored. */
export function traceCheck(db: Reader): Check {
  return {
    part: 'traces',
    look: async () => {
      const losses = await describeLosses(db);
      if (losses === undefined) return ok('every span of yesterday and today is stored');
      return warning(
        `spans of yesterday and today that were not stored: ${losses}`,
        'For storage_full, free disk space or raise TRACE_MAX_MB. For queue_full, lower the number of spans or look at the database.',
      );
    },
  };
}
