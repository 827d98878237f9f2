import type { CostForecast } from '@gantry/contract/models/costs.ts';
import { useQuery } from '@tanstack/react-query';
import { money, plural } from '../../../parts/figures/figures.ts';
import { Facts, Section } from '../../../parts/page/page.tsx';
import { When } from '../../../parts/figures/when.tsx';
import { ask } from '../../../server.ts';

/** What it spends now, and when its tightest budget ends. */
export function AgentForecast({ name }: { name: string }) {
  const status = useQuery(ask('agents.status', { params: { name } }));
  const ref = status.data?.ref ?? (status.data?.latest_version && `agents/${name}@${status.data.latest_version}`);
  const cost = status.data?.cost;
  // The plan of a deploy has the forecast.
  const plan = useQuery({
    ...ask('deployments.plan', { body: { ref: ref ?? '' } }),
    enabled: typeof ref === 'string' && cost !== null && cost !== undefined,
  });
  if (status.data === undefined || (typeof ref === 'string' && cost !== null && plan.isPending))
    return <div className="skeleton mb-6 h-40" />;
  return (
    <Section title="Now and next">
      {cost === null || cost === undefined ? (
        <p className="text-quiet">
          You may not see its costs. Those who may edit the agent and those who read the costs of its team do.
        </p>
      ) : (
        <Facts
          facts={[
            ['Today', money(cost.today_usd)],
            ['This month', money(cost.month_usd)],
            ...forecastFacts(plan.data?.cost ?? null),
          ]}
        />
      )}
    </Section>
  );
}

function forecastFacts(forecast: CostForecast | null): Parameters<typeof Facts>[0]['facts'] {
  if (forecast === null) return [];
  const { per_day_usd, days, cap, cap_ends_at } = forecast;
  return [
    [
      'A day',
      per_day_usd === null ? 'no calls in the last 7 days' : `${money(per_day_usd)}, over ${plural(days, 'day')}`,
    ],
    [
      'Ends first',
      cap === null ? (
        'no budget limits it'
      ) : (
        <span key="cap">
          {money(cap.limit_usd)} per {cap.window} of {cap.of}, {cap.percent} % spent.{' '}
          {cap_ends_at === null ? (
            `Lasts to the end of the ${cap.window}.`
          ) : (
            <span className="text-waiting">
              Ends <When at={cap_ends_at} /> at this rate.
            </span>
          )}
        </span>
      ),
    ],
  ];
}
