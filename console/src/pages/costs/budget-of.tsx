import type { Budget } from '@gantry/contract/models/budgets.ts';
import type { KeyScope } from '@gantry/contract/models/keys.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMe } from '../../me.ts';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { money, count } from '../../parts/figures/figures.ts';
import { Meter } from '../../parts/figures/meter.tsx';
import { Closed, Empty } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State, type Meaning } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { holderOf } from '../keys/key-state.tsx';
import { SetBudget } from './set-budget.tsx';

const isIn = (teams: readonly { name: string }[] | undefined, team: string): boolean =>
  teams?.some(({ name }) => name === team) === true;

const windows = [
  { label: 'today', name: 'daily_usd' },
  { label: 'this week', name: 'weekly_usd' },
  { label: 'this month', name: 'monthly_usd' },
] as const;

/** As the question has it: without an id, one's own. */
export interface BudgetSubject {
  scope: KeyScope;
  scope_id?: string;
  /** For a user: the team in which the limits apply. */
  team?: string;
}

const readsOnly: Allowed = { allowed: false, reason: 'Only admins of the team set its limits.' };
/** For one's own. */
const open: Allowed = { allowed: true };

/** The spending and the limits of one account, and when the first limit ends. */
export function BudgetOf({ subject, can: canShow = open }: { subject: BudgetSubject; can?: Allowed | undefined }) {
  const { data: budget, error } = useQuery({
    ...ask('budgets.show', { query: subject }),
    enabled: canShow.allowed,
  });
  const me = useMe();
  const team = useQuery({
    ...ask('teams.show', { params: { team: budget?.team ?? '' } }),
    // A reader of the costs of a team need not be in it.
    enabled: typeof budget?.team === 'string' && (me?.role === 'admin' || isIn(me?.teams, budget.team)),
  });
  const can = subject.scope === 'org' ? me?.can['budgets.set'] : (team.data?.can['budgets.set'] ?? readsOnly);
  const [isSetting, setSetting] = useState(false);
  const name = budget === undefined ? '' : nameOf(budget);
  if (!canShow.allowed) return <Closed can={canShow} />;
  if (error instanceof Problem && error.code === 'forbidden') return <Empty>{error.detail}</Empty>;
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
          <Action can={can} svc={budget === undefined ? '' : svcOf(budget)} onPress={() => setSetting(true)}>
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

function nameOf({ scope, scope_name, team }: Budget): string {
  return scope === 'user' ? `${scope_name} in team ${team ?? ''}` : holderOf({ scope, scope_name });
}

function svcOf({ scope, scope_name, team }: Budget): string {
  if (team === null) return 'svc org budget set --monthly 500';
  const flags = {
    user: ` --member ${scope_name}`,
    principal: ` --member principal:${scope_name}`,
    agent: ` --agent ${scope_name}`,
  };
  return `svc team budget set ${team}${scope === 'team' || scope === 'org' ? '' : flags[scope]} --monthly 500`;
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
        <span className="flex flex-wrap items-baseline gap-x-1">
          <span className={spent === undefined ? 'skeleton' : 'text-section'}>{money(spent)}</span>
          <span className="text-quiet">{limit === null ? 'no limit' : `of ${money(limit)}`}</span>
        </span>
        {limit !== null && (
          <span className="mt-1.5 block">
            <Meter part={part} label={`Spent: ${about}`} meaning={meaningOf(part)} />
          </span>
        )}
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
