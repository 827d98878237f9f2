import { sql, type Sql } from '../database/sql.ts';

/**
 * The condition that an executor with a live lease carries out the run, and that the run has begun this step. It ends with a failure of the
 * step, a cancel, the end of the lease, and `settle`. A killed process ends it when its lease is over, by the database's clock.
 */
export function whereInStep({ run_id, step }: { run_id: Sql; step: string }): Sql {
  return sql`exists (
    select from run join run_step s on s.run_id = run.id and s.name = ${step} and s.state in ('running', 'done')
    where run.id = ${run_id} and run.state = 'running' and run.lease_until > clock_now() and run.ending is null and run.settled_at is null)`;
}
