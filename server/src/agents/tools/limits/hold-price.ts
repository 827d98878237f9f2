// What a call of a tool costs, in the ledger of the calls to models: the same accounts pay, under the same budgets. The price is held before the call goes
// out, and settled after it. A hold whose process died is charged at its deadline.
import { randomUUIDv7 } from 'node:crypto';
import { parseUsd } from '@gantry/contract/formats/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { requireRunBudget } from '../../../models/gateway/admission/run-budget.ts';
import { labelOf } from '../../../models/gateway/admission/reservation.ts';
import { keyPayer } from '../../../models/keys/calls/key-caller.ts';
import { openBooks, tool_provider, type RunOfCall, type Settlement } from '../../../models/ledger/books.ts';

interface PricedCall {
  caller: AgentCaller;
  call_id: string;
  /** mcp-servers/<name>@<version> */
  ref: string;
  /** mcp-servers/<name> */
  server: string;
  tool: string;
  usd: string;
  deadline_seconds: number;
}

export interface HeldPrice {
  /** `refused`: the call did not go out, and costs nothing. */
  settle(outcome: 'answered' | 'failed' | 'refused'): Promise<void>;
}

/** Throws `budget_exceeded`, `budget_in_flight` or `key_paused`, and then holds nothing. */
export async function holdPrice(db: Database, call: PricedCall): Promise<HeldPrice> {
  const { caller, call_id, server, tool } = call;
  const run = runOf(caller);
  const [paying] = await Promise.all([keyPayer(db, caller.key_id, caller.origin), requireRunBudget(db, run)]);
  if (paying === undefined) throw new Problem('invalid_api_key');
  const { payer, key } = paying;
  const nano = parseUsd(call.usd);
  const hold_id = randomUUIDv7();
  const { accounts } = payer;
  const { id: key_id, prefix, team, user, agent, principal, tags } = key;
  await db.transaction(async (tx) => {
    const books = await openBooks(tx, { account_ids: accounts, hold_ids: [] });
    books.reserve({
      id: hold_id,
      accounts: accounts.map((id) => ({ id, label: labelOf(payer, key, id) })),
      input_tokens: 0,
      output_tokens: 0,
      min_output_tokens: 0,
      expected_input_tokens: 0,
      price: { boundOf: () => nano, outputTokensFor: (left) => (left >= nano ? 0 : -1) },
      unbounded: [],
      isOfTool: true,
      deadline_seconds: call.deadline_seconds,
      call: {
        key_id,
        key: prefix,
        team,
        user,
        agent,
        principal,
        tags,
        model: server,
        provider: tool_provider,
        upstream_model: tool,
        attempt: 1,
        price: call.ref,
        call_id,
        ...run,
      },
    });
    await tx.last(books.write());
  });
  return {
    settle: async (outcome) => {
      const of = { hold_id, outcome, nano: outcome === 'refused' ? 0 : nano };
      await settle(db, accounts, { ...of, input_tokens: 0, output_tokens: 0, usage: {} });
    },
  };
}

async function settle(db: Database, accounts: readonly string[], settlement: Settlement): Promise<void> {
  await db.transaction(async (tx) => {
    const books = await openBooks(tx, { account_ids: accounts, hold_ids: [settlement.hold_id] });
    if (books.settle(settlement)) await tx.last(books.write());
  });
}

function runOf({ run }: AgentCaller): RunOfCall {
  const { run_id = null, root_run_id = null, caller_id = null, trace_id = null } = run ?? {};
  return { run_id, root_run_id, caller_id, trace_id };
}
