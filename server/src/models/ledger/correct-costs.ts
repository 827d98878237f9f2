// What a provider has billed for calls whose cost was only an estimate. A killed process charges its open calls in full, so a budget can
// be spent by calls that nobody bills. A correction lowers charges, and never those that a provider has confirmed.
import { randomUUID } from 'node:crypto';
import type { CostCorrection } from '@gantry/contract/models/costs.ts';
import { formatUsd, parseUsd } from '@gantry/contract/formats/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { lower, type Account } from './account.ts';
import { estimatesOf, max_corrected, type Estimate, type EstimateFilter } from './estimate-store.ts';
import { clock, lockAccounts, write } from './store.ts';

type Asked = Omit<EstimateFilter, 'until'> & { until?: string | undefined; billed_usd: string; reason: string };

/** Each call keeps the same share of its charge. Throws `conflict` without estimates, and `invalid` for a bill above their sum. */
export async function correctCosts(
  db: Database,
  caller: Caller,
  { until, billed_usd, reason, ...given }: Asked,
): Promise<CostCorrection> {
  const grant = authorize(signedIn(caller), 'cost.correct', theOrg);
  const filter = { ...given, until: until ?? (await clock(db)) };
  const billed = parseUsd(billed_usd);
  return await change(db, grant, 'cost.corrected', async (tx, note) => {
    const ids = new Set((await estimatesOf(tx, filter)).flatMap(({ accounts }) => accounts));
    // All calls of the organisation share an account, so corrections wait for each other here.
    const accounts = new Map((await lockAccounts(tx, [...ids])).map((account) => [account.id, account]));
    const rows = (await estimatesOf(tx, filter)).filter((row) => row.accounts.every((id) => ids.has(id)));
    const charged = rows.reduce((sum, { nano }) => sum + nano, 0);
    requireRoom({ rows: rows.length, charged, billed });
    const corrections = cutsOf(rows, charged === 0 ? 0 : billed / charged).map(({ row, cut }) => {
      lowerAccounts(accounts, row, cut);
      return {
        ...row,
        hold_id: randomUUID(),
        corrects: row.hold_id,
        nano: -cut,
        estimated: false,
        input_tokens: 0,
        output_tokens: 0,
        usage: {},
      };
    });
    await tx.run(write({ accounts: [...accounts.values()], rates: [], holds: [], rows: corrections }));
    const corrected: CostCorrection = {
      calls: rows.length,
      charged_usd: formatUsd(charged),
      billed_usd: formatUsd(charged - corrections.reduce((sum, { nano }) => sum - nano, 0)),
    };
    note({ ...corrected, ...filter, reason });
    return corrected;
  });
}

function requireRoom({ rows, charged, billed }: { rows: number; charged: number; billed: number }): void {
  if (rows === 0)
    throw new Problem('conflict', {
      detail: 'No call of these has a cost that is only an estimate.',
      hint: 'svc costs --by model,day --estimated shows where they are.',
    });
  if (rows > max_corrected)
    throw new Problem('invalid', { detail: `A correction is of at most ${max_corrected} calls. Name a shorter time.` });
  if (billed <= charged) return;
  throw new Problem('invalid', {
    detail: `These calls were charged $${formatUsd(charged)}, and a correction only lowers that.`,
    errors: [{ pointer: '/billed_usd', message: `must be at most ${formatUsd(charged)}` }],
  });
}

/** In whole nano-USD. What rounding leaves is carried to the next row, so that the sum is exact. */
function cutsOf(rows: readonly Estimate[], kept: number): { row: Estimate; cut: number }[] {
  let charged = 0;
  let left = 0;
  return rows.map((row) => {
    charged += row.nano;
    const rest = Math.round(charged * kept) - left;
    left += rest;
    return { row, cut: row.nano - rest };
  });
}

function lowerAccounts(
  accounts: ReadonlyMap<string, Account>,
  { accounts: paid_by, day }: Estimate,
  cut: number,
): void {
  for (const id of paid_by) {
    const account = accounts.get(id);
    // Accounts end with their key or agent.
    if (account !== undefined) lower(account, { day, nano: cut });
  }
}
