// `budget_usd` of an orchestration, for the calls of its members. Only the cost of the settled calls of the run counts. So members that call at once
// can exceed the budget by the calls under way. A call without a run token is bounded by the budgets of its own key alone.
import { parseUsd } from '@gantry/contract/formats/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { RunOfCall } from '../../ledger/books.ts';
import { spentByRun } from '../../ledger/spending.ts';
import * as store from '../store.ts';

/** Throws `budget_exceeded` when the first run of the chain is an orchestration's that has spent its budget. */
export async function requireRunBudget(db: Reader, { run_id, root_run_id }: RunOfCall): Promise<void> {
  if (root_run_id === null || root_run_id === run_id) return;
  const budget_usd = await store.budgetOfRun(db, root_run_id);
  if (budget_usd === undefined) return;
  const spent = await spentByRun(db, root_run_id);
  if (spent < parseUsd(budget_usd)) return;
  throw new Problem('budget_exceeded', {
    // The member's code reads this, and its callers may not see what others have spent.
    detail: `The run ${root_run_id} has spent its \`budget_usd\`.`,
    hint: 'Raise `budget_usd` in orchestration.yaml, and deploy it.',
  });
}
