import type { CostReport } from '@gantry/contract/models/costs.ts';
import { money, plural } from '../../parts/figures/figures.ts';
import { Tip } from '../../parts/tip.tsx';

/** A column for each day, also for days without a call. */
export function Days({ report: { rows, until }, days }: { report: CostReport; days: number }) {
  const byDay = new Map(rows.map((row) => [row.of.day, row]));
  const end = Date.parse(until.slice(0, 10));
  const shown = Array.from({ length: days }, (_, n) => {
    const day = new Date(end - (days - 1 - n) * 86_400_000).toISOString().slice(0, 10);
    return { day, usd: Number(byDay.get(day)?.usd ?? 0), calls: byDay.get(day)?.calls ?? 0 };
  });
  const most = Math.max(...shown.map(({ usd }) => usd));
  return (
    <figure className="rounded border border-line bg-raised px-3 pt-3 pb-2">
      <figcaption className="mb-1 text-meta text-quiet">
        {most === 0 ? 'No costs in this time' : `at most ${money(most)} a day`}
      </figcaption>
      <div className="flex gap-2">
        <div aria-hidden className="flex h-28 flex-col justify-between text-right text-meta text-quiet">
          <span>{most === 0 ? '' : money(most)}</span>
          <span>{most === 0 ? '' : money(most / 2)}</span>
          <span>$0</span>
        </div>
        <div
          role="img"
          aria-label={`Costs of the last ${days} days`}
          className="flex h-28 min-w-0 flex-1 items-end gap-0.5 border-y border-line-strong border-t-line"
        >
          {shown.map(({ day, usd, calls }) => (
            <Tip key={day} text={`${day}: ${money(usd)}, ${plural(calls, 'call')}`}>
              <span className="flex h-full flex-1 items-end hover:bg-hover">
                <span
                  className="w-full rounded-t-small bg-accent"
                  style={{ height: most === 0 || usd === 0 ? 0 : `${Math.max(2, (usd / most) * 100)}%` }}
                />
              </span>
            </Tip>
          ))}
        </div>
      </div>
      <div aria-hidden className="mt-1 flex justify-between text-meta text-quiet">
        <span>{shown[0]?.day}</span>
        <span>{shown[Math.floor(days / 2)]?.day}</span>
        <span>{shown.at(-1)?.day}</span>
      </div>
    </figure>
  );
}
