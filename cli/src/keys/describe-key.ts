import type { Budget } from '@gantry/contract/models/budgets.ts';
import type { GatewayKey } from '@gantry/contract/models/keys.ts';
import { fields, line, strong, time, warn, type Block, type View } from '../view/view.ts';
import { describeLimits } from './limits.ts';

export function describeKey(key: GatewayKey, spent?: string): Block {
  const { alias, prefix, state, models, limits, tags, created_by, created_at, expires_at, id } = key;
  return fields({
    Key: `${prefix}…`,
    Name: alias,
    State: state,
    'Works for': holderOf(key),
    Models: models.join(', '),
    Limits: describeLimits(limits),
    Spent: spent,
    Tags: tags.join(', ') || undefined,
    'Created by': [created_by, '  ', time(created_at)],
    Expires: expires_at === null ? 'never' : time(expires_at),
    Id: id,
  });
}

export function holderOf({ scope, scope_name, team }: Pick<GatewayKey, 'scope' | 'scope_name' | 'team'>): string {
  if (scope === 'org') return 'the organisation';
  if (scope === 'team') return `team:${scope_name}`;
  const of_team = team === null ? '' : ` in team:${team}`;
  return (scope === 'agent' ? `agents/${scope_name}` : scope_name) + of_team;
}

/** The key itself, shown once, and the way to use it. */
export function describeValue(
  server: string,
  { key, models }: Pick<GatewayKey, 'models'> & { key?: string | undefined },
): View {
  if (key === undefined) return [];
  const model = models.find((glob) => !glob.includes('*')) ?? '<model>';
  const body = `{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}`;
  return [
    line('  key       ', strong(key), '  ', warn('shown once; clients read it from OPENAI_API_KEY')),
    line('  base URL  ', `${server}/v1`, '  clients read it from OPENAI_BASE_URL'),
    line(
      '  example   ',
      `curl ${server}/v1/chat/completions -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" -d '${body}'`,
    ),
  ];
}

export function describeBudget({ scope, scope_name, team, limits, spent, held, ...budget }: Budget): View {
  const inWindows = ({ daily_usd, weekly_usd, monthly_usd }: Budget['spent']) =>
    `$${daily_usd} today, $${weekly_usd} this week, $${monthly_usd} this month`;
  return [
    fields({
      'Budget of': holderOf({ scope, scope_name, team }),
      Limits: describeLimits(limits),
      Spent: inWindows(spent),
      'Under way': held.monthly_usd === '0.00' ? undefined : inWindows(held),
    }),
    ...(budget.ends === null || budget.next_call_at !== null
      ? []
      : [line(`At $${budget.per_day_usd} a day the limit for the ${budget.ends} is spent `, time(budget.ends_at))]),
    ...(budget.next_call_at === null
      ? []
      : [line(warn('spent '), 'The next call is admitted ', time(budget.next_call_at))]),
  ];
}
