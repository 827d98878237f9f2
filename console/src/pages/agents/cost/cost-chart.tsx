import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { money } from '../../../parts/figures/figures.ts';
import type { DayCost } from './costs-of-agent.ts';

/** Cost by day, a part of the bar for each model. The table below has the same sums. */
export function CostChart({ days, models }: { days: readonly DayCost[]; models: readonly string[] }) {
  return (
    <div role="img" aria-label="Cost by day and model" className="h-full text-meta">
      <ResponsiveContainer>
        <BarChart data={[...days]} margin={{ top: 4, right: 4, bottom: 0, left: 4 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            dataKey="day"
            tickFormatter={(day: string) => day.slice(5)}
            tick={{ fill: 'var(--color-quiet)', fontSize: 12 }}
            stroke="var(--color-line)"
            tickLine={false}
            minTickGap={24}
          />
          <YAxis
            tickFormatter={money}
            tick={{ fill: 'var(--color-quiet)', fontSize: 12 }}
            axisLine={false}
            tickLine={false}
            width={76}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--color-hover)' }}
            formatter={(value) => money(Number(value))}
            contentStyle={{
              background: 'var(--color-raised)',
              border: '1px solid var(--color-line)',
              borderRadius: 'var(--radius)',
            }}
            labelStyle={{ color: 'var(--color-text)' }}
            itemStyle={{ color: 'var(--color-text)' }}
          />
          {models.length > 1 && <Legend formatter={nameOf} />}
          {models.map((model, n) => (
            <Bar
              key={model}
              name={model}
              dataKey={({ usd }: DayCost) => usd[model] ?? 0}
              stackId="cost"
              fill={shade(n, models.length)}
              maxBarSize={32}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

function nameOf(model: string) {
  return <span className="text-quiet">{model}</span>;
}

// One hue: the dearest model has the accent itself.
function shade(n: number, of: number): string {
  const percent = Math.round(100 - (n / of) * 75);
  return `color-mix(in srgb, var(--color-accent) ${percent}%, var(--color-raised))`;
}
