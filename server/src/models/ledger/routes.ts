import type { Database } from '../../ground/database/database.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { correctCosts } from './correct-costs.ts';
import { reportCosts } from './report-costs.ts';

export function costsRoutes({ db }: { db: Database }): Handlers<'costs'> {
  return {
    'costs.report': async ({ caller, query }) => await reportCosts(db, caller, query),
    'costs.correct': async ({ caller, body }) => await correctCosts(db, caller, body),
  };
}
