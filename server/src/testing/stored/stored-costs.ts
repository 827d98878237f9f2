import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import type { TestApp } from '../test-app.ts';

interface Cost {
  agent?: string;
  /** The e-mail. */
  user?: string;
  team: string;
  /** Those that pay. */
  accounts?: readonly string[];
  model: string;
  tags?: readonly string[];
  nano: number;
  estimated?: boolean;
  /** The run that it belongs to. */
  run_id?: string;
}

/** A row of the ledger, about a call of now with 10 tokens in and 5 out. */
export async function storeCost(app: TestApp, cost: Cost): Promise<void> {
  const {
    agent = null,
    user = null,
    team,
    accounts = [],
    model,
    tags = [],
    nano,
    estimated = false,
    run_id = null,
  } = cost;
  await app.db.run(sql`
    insert into ledger (hold_id, at, day, key_id, accounts, key, team, "user", agent, tags, model, provider, upstream_model, attempt, outcome,
      estimated, input_tokens, output_tokens, usage, nano, run_id, root_run_id)
    values (${randomUUID()}, clock_now(), (clock_now() at time zone 'UTC')::date, ${randomUUID()}, ${accounts}::uuid[], 'gtk_12345678', ${team},
      ${user}, ${agent}, ${tags}::text[], ${model}, 'openai', ${model}, 1, 'answered', ${estimated}, 10, 5, '{}', ${nano}, ${run_id}, ${run_id})`);
}
