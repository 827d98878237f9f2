// Limits as text and as fields. An empty field is no limit.
import type { Limits } from '@gantry/contract/models/keys.ts';
import { count, money } from '../../parts/figures/figures.ts';
import { Field } from '../../parts/form/form.tsx';

const limitNames = {
  daily_usd: 'a day',
  weekly_usd: 'a week',
  monthly_usd: 'a month',
  requests_per_minute: 'calls a minute',
  tokens_per_minute: 'tokens a minute',
} as const satisfies Record<keyof Limits, string>;

export function limitsInWords(limits: Limits): string {
  const parts = [
    ...(['daily_usd', 'weekly_usd', 'monthly_usd'] as const).map((name) => [name, money(limits[name])] as const),
    ...(['requests_per_minute', 'tokens_per_minute'] as const).map((name) => [name, count(limits[name])] as const),
  ].flatMap(([name, amount]) => (limits[name] === null ? [] : `${amount} ${limitNames[name]}`));
  return parts.join(', ') || 'none';
}

export function LimitFields({ before }: { before?: Limits }) {
  const usd = (name: 'daily_usd' | 'weekly_usd' | 'monthly_usd', label: string) => (
    <Field name={name} label={label} inputMode="decimal" placeholder="no limit" defaultValue={before?.[name] ?? ''} />
  );
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-2 text-meta text-quiet">In USD; an empty field is no limit.</legend>
      <div className="grid grid-cols-3 gap-3">
        {usd('daily_usd', 'A day')}
        {usd('weekly_usd', 'A week')}
        {usd('monthly_usd', 'A month')}
      </div>
      <div className="grid grid-cols-2 gap-3">
        <Field
          name="requests_per_minute"
          label="Calls a minute"
          inputMode="numeric"
          placeholder="no limit"
          defaultValue={before?.requests_per_minute ?? ''}
        />
        <Field
          name="tokens_per_minute"
          label="Tokens a minute"
          inputMode="numeric"
          placeholder="no limit"
          defaultValue={before?.tokens_per_minute ?? ''}
        />
      </div>
    </fieldset>
  );
}

/** What the service refuses is sent as it is. */
export function limitsOf(values: Record<string, string>): Limits {
  const usd = (name: string) => (values[name] ? values[name].replace(/^\$/, '') : null);
  const number = (name: string) => (values[name] ? Number(values[name]) : null);
  return {
    daily_usd: usd('daily_usd'),
    weekly_usd: usd('weekly_usd'),
    monthly_usd: usd('monthly_usd'),
    requests_per_minute: number('requests_per_minute'),
    tokens_per_minute: number('tokens_per_minute'),
  };
}
