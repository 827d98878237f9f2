import { pushState } from '../audit/push/state.ts';
import type { Database } from '../database/database.ts';
import { ok, problem, warning, type Check } from './doctor.ts';

/** One for each destination outside that gets a copy of the audit log. */
export function auditPushChecks(db: Database, destinations: readonly { name: string }[]): Check[] {
  return destinations.map(({ name }) => ({
    part: 'audit copy',
    look: async () => {
      const { behind, delivered_at, failing_since, last_error, notice } = await pushState(db, name);
      const lag = `${name} lacks ${behind} entries; the last that arrived did so ${delivered_at ?? 'never'}`;
      if (failing_since !== null)
        return problem(
          `${lag}; failing since ${failing_since}: ${last_error}`,
          'Nothing is lost: it goes on by itself once the destination takes entries again. AUDIT_PUSH_URL and its neighbours say where and how.',
        );
      if (notice !== null)
        return warning(`${lag}. ${notice}`, 'Find out who restored or changed the database: svc audit verify');
      return ok(lag);
    },
  }));
}
