import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { showFigures } from './show-figures.ts';
import { listRuns } from './list-runs.ts';
import { listTraces } from './list-traces.ts';
import { showTrace } from './show-trace.ts';

export function tracesRoutes(parts: { db: Database; cursors: Cursors }): Handlers<'traces'> {
  return {
    'traces.figures': async ({ caller, params, query }) => await showFigures(parts.db, caller, { ...params, ...query }),
    'traces.list': async ({ caller, query }) => await listTraces(parts, caller, query),
    'traces.runs': async ({ caller, params, query }) => await listRuns(parts, caller, { ...params, ...query }),
    'traces.show': async ({ caller, params }) => await showTrace(parts.db, caller, params.id),
  };
}
