import type { Database } from '../../ground/database/database.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { reportGuardrails } from './report.ts';

export function guardrailsRoutes({ db }: { db: Database }): Handlers<'guardrails'> {
  return { 'guardrails.report': async ({ caller, query }) => await reportGuardrails(db, caller, query) };
}
