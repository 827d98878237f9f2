import { pushState } from '../governance/audit/push/state.ts';
import type { Database } from '../ground/database/database.ts';
import { ok, problem, warning, type Check } from './doctor.ts';

/** One check for each destination of the audit log. */
export function auditPushChecks(db: Database, destinations: readonly { name: string }[]): Check[] {
  return destinations.map(({ name }) => ({
    part: 'audit copy',
    look: async () => {
      const { behind, delivered_at, failing_since, last_error, notice } = await pushState(db, name);
      const lag = `${name} lacks ${behind} entries; last delivery: ${delivered_at ?? 'never'}`;
      if (failing_since !== null)
        return problem(
          `${lag}; failing since ${failing_since}: ${last_error}`,
          'No entry is lost: delivery continues by itself. Check the destination and the AUDIT_PUSH_… settings.',
        );
      if (notice !== null)
        return warning(`${lag}. ${notice}`, 'Find out who restored or changed the database: svc audit verify');
      return ok(lag);
    },
  }));
}
