// The gateway key of an agent, and the limits of its calls to models.
import type { Budget } from '@gantry/contract/budgets.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../../parts/action.tsx';
import { SvcLine } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { count, money } from '../../parts/figures.ts';
import { Field, Form } from '../../parts/form.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/use-send.ts';
import { When } from '../../parts/when.tsx';
import { ask, send } from '../../server.ts';

const windows = [
  ['daily_usd', 'day'],
  ['weekly_usd', 'week'],
  ['monthly_usd', 'month'],
] as const;

export function AgentBudget({ name }: { name: string }) {
  const budget = useQuery(ask('budgets.show', { query: { scope: 'agent', scope_id: name } }));
  const keys = useQuery(ask('keys.list', { query: { scope: 'agent', limit: 200 } }));
  const team = useQuery({
    ...ask('teams.show', { params: { team: budget.data?.team ?? '' } }),
    enabled: typeof budget.data?.team === 'string',
  });
  const [isChanging, setChanging] = useState(false);
  const key = keys.data?.items.find(({ scope_name }) => scope_name === name);
  return (
    <>
      <Section
        title="Budget"
        aside={
          budget.data !== undefined && (
            <Action
              look="quiet"
              can={team.data?.can['budgets.set']}
              svc={`svc team budget set ${budget.data.team} --agent ${name} --monthly 50`}
              onPress={() => setChanging(true)}
            >
              Change limits…
            </Action>
          )
        }
      >
        {budget.error !== null && budget.data === undefined && <Refusal error={budget.error} />}
        {budget.isPending && <div className="skeleton h-24" />}
        {budget.data !== undefined && <Limits budget={budget.data} />}
      </Section>
      <Section title="Key">
        {key === undefined ? (
          <p className="text-quiet">
            {keys.isPending ? <span className="skeleton">Its key</span> : 'A deploy issues its key. You see none.'}
          </p>
        ) : (
          <Facts
            facts={[
              [
                'Key',
                <Link key="key" to="/keys/$id" params={{ id: key.id }} className="font-mono text-meta text-accent">
                  {key.prefix}…
                </Link>,
              ],
              ['State', key.state],
              [
                'Models',
                <span key="models" className="font-mono text-meta">
                  {key.models.join(', ')}
                </span>,
              ],
              ['Ends', key.expires_at === null ? 'never' : <When key="ends" at={key.expires_at} />],
            ]}
          />
        )}
      </Section>
      {isChanging && budget.data !== undefined && (
        <ChangeLimits name={name} budget={budget.data} onClose={() => setChanging(false)} />
      )}
    </>
  );
}

function Limits({ budget: { limits, spent, next_call_at } }: { budget: Budget }) {
  const limited = windows.filter(([window]) => limits[window] !== null);
  const rates = [
    ...(limits.requests_per_minute === null ? [] : [`${count(limits.requests_per_minute)} calls a minute`]),
    ...(limits.tokens_per_minute === null ? [] : [`${count(limits.tokens_per_minute)} tokens a minute`]),
  ];
  return (
    <div className="flex flex-col gap-3">
      {limited.length === 0 && <p className="text-quiet">No limit of its own. Those of its team limit it too.</p>}
      {limited.map(([window, label]) => {
        const part = Number(spent[window]) / Math.max(Number(limits[window]), 1e-9);
        return (
          <div key={window}>
            <p className="mb-1 flex justify-between">
              <span className="text-quiet">per {label}</span>
              <span>
                {money(spent[window])} of {money(limits[window])}
              </span>
            </p>
            <Meter
              part={part}
              label={`Budget per ${label}`}
              meaning={part >= 1 ? 'failed' : part >= 0.8 ? 'waiting' : 'good'}
            />
          </div>
        );
      })}
      {rates.length > 0 && <p>At most {rates.join(' and ')}.</p>}
      {next_call_at !== null && (
        <p className="text-failed">
          A limit is spent. The next call is admitted <When at={next_call_at} />.
        </p>
      )}
    </div>
  );
}

function ChangeLimits({ name, budget, onClose }: { name: string; budget: Budget; onClose: () => void }) {
  const subject = { scope: 'agent', scope_id: name } as const;
  const { limits } = budget;
  const set = useSend('budgets.set', {
    changes: ['agents', 'deployments', 'keys'],
    says: () => `agents/${name} has new limits`,
    undo: async () => await send('budgets.set', { body: { ...subject, limits } }),
  });
  const whole = (text = '') => (text === '' ? null : Number(text));
  return (
    <Dialog
      title={`Limits of agents/${name}`}
      about={<SvcLine line={`svc team budget set ${budget.team} --agent ${name} --monthly 50`} />}
      isOpen
      onClose={onClose}
    >
      <Form
        send="Change limits"
        error={set.error}
        isSending={set.isPending}
        onCancel={onClose}
        onSend={(values) => {
          const usd = Object.fromEntries(windows.map(([window]) => [window, values[window] || null]));
          const requests_per_minute = whole(values['requests_per_minute']);
          const tokens_per_minute = whole(values['tokens_per_minute']);
          set.mutate(
            { body: { ...subject, limits: { ...usd, requests_per_minute, tokens_per_minute } } },
            { onSuccess: onClose },
          );
        }}
      >
        {windows.map(([window, label]) => (
          <Field
            key={window}
            name={window}
            label={`Dollars per ${label}`}
            inputMode="decimal"
            placeholder="no limit"
            defaultValue={limits[window] ?? ''}
          />
        ))}
        <Field
          name="requests_per_minute"
          label="Calls per minute"
          type="number"
          placeholder="no limit"
          defaultValue={limits.requests_per_minute ?? ''}
        />
        <Field
          name="tokens_per_minute"
          label="Tokens per minute"
          type="number"
          placeholder="no limit"
          defaultValue={limits.tokens_per_minute ?? ''}
        />
      </Form>
    </Dialog>
  );
}
