import type { Budget } from '@gantry/contract/budgets.ts';
import type { KeyScope } from '@gantry/contract/keys.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action.tsx';
import { money, count } from '../../parts/figures.ts';
import { Meter } from '../../parts/meter.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State, type Meaning } from '../../parts/state.tsx';
import { When } from '../../parts/when.tsx';
import { ask } from '../../server.ts';
import { SetBudget } from './set-budget.tsx';

const windows = [
  { label: 'today', name: 'daily_usd' },
  { label: 'this week', name: 'weekly_usd' },
  { label: 'this month', name: 'monthly_usd' },
] as const;

interface BudgetOfProps {
  scope: KeyScope;
  scope_id?: string;
  can: Allowed | undefined;
}

/** The spending and the limits of one account, and when the first limit ends. */
export function BudgetOf({ scope, scope_id, can }: BudgetOfProps) {
  const subject = { scope, ...(scope_id !== undefined && { scope_id }) };
  const { data: budget, error } = useQuery(ask('budgets.show', { query: subject }));
  const [isSetting, setSetting] = useState(false);
  const name = scope_id ?? 'the organisation';
  const svc = scope === 'org' ? 'svc org budget set --monthly 500' : `svc team budget set ${name} --monthly 500`;
  if (error !== null) return <Refusal error={error} />;
  return (
    <div className="rounded border border-line bg-raised p-3">
      <dl className="grid grid-cols-3 gap-x-8 gap-y-3 max-phone:grid-cols-1">
        {windows.map(({ label, name: window }) => (
          <Window
            key={window}
            label={label}
            spent={budget?.spent[window]}
            limit={budget?.limits[window] ?? null}
            about={`${name}, ${label}`}
          />
        ))}
      </dl>
      <div className="mt-3 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-3 text-meta text-quiet">
        {budget === undefined ? (
          <span className="skeleton">The rate and the end of the budget</span>
        ) : (
          <Forecast budget={budget} />
        )}
        <span className="ml-auto text-body text-text">
          <Action can={can} svc={svc} onPress={() => setSetting(true)}>
            Set limits
          </Action>
        </span>
      </div>
      {isSetting && budget !== undefined && (
        <SetBudget subject={subject} name={name} before={budget.limits} onClose={() => setSetting(false)} />
      )}
    </div>
  );
}

interface WindowProps {
  label: string;
  spent: string | undefined;
  limit: string | null;
  about: string;
}

function Window({ label, spent, limit, about }: WindowProps) {
  const part = limit === null || spent === undefined ? 0 : Number(limit) === 0 ? 1 : Number(spent) / Number(limit);
  return (
    <div className="min-w-0">
      <dt className="text-meta text-quiet">{label}</dt>
      <dd>
        <span className={spent === undefined ? 'skeleton' : 'text-section'}>{money(spent)}</span>
        <span className="text-quiet"> {limit === null ? 'no limit' : `of ${money(limit)}`}</span>
        <span className="mt-1.5 block">
          <Meter part={part} label={`Spent: ${about}`} meaning={limit === null ? 'none' : meaningOf(part)} />
        </span>
      </dd>
    </div>
  );
}

const meaningOf = (part: number): Meaning => (part >= 1 ? 'failed' : part >= 0.8 ? 'waiting' : 'good');

const words = { day: 'daily', week: 'weekly', month: 'monthly' } as const;

function Forecast({ budget: { per_day_usd, ends, ends_at, next_call_at, limits } }: { budget: Budget }) {
  const { requests_per_minute: calls, tokens_per_minute: tokens } = limits;
  return (
    <>
      {next_call_at !== null && <State meaning="failed">spent</State>}
      <span>
        {per_day_usd === null ? 'No call in the last 7 days.' : `${money(per_day_usd)} a day on average.`}{' '}
        {next_call_at !== null ? (
          <>
            The next call is admitted <When at={next_call_at} />.
          </>
        ) : ends === null ? (
          per_day_usd !== null && 'No limit ends at this rate.'
        ) : (
          <>
            At this rate the {words[ends]} limit is spent <When at={ends_at} />.
          </>
        )}
        {calls !== null && ` ${count(calls)} calls a minute.`}
        {tokens !== null && ` ${count(tokens)} tokens a minute.`}
      </span>
    </>
  );
}
