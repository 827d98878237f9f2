// What the vectors of a base or an index have cost its team. The ledger names both in each call.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { money, plural } from '../../parts/figures/figures.ts';
import { useNow } from '../../parts/figures/when.tsx';
import { Closed, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';

const days = 30;
const refreshed_ms = 300_000;

export function CostsOf({ tag, team, about }: { tag: string; team: string; about: string }) {
  const since = new Date(useNow(refreshed_ms) - days * 86_400_000).toISOString();
  const { data: report, error } = useQuery(ask('costs.report', { query: { tag, team, by: 'key', since } }));
  return (
    <Section
      title="Costs"
      aside={
        <Link to="/costs" search={{ tag, team, by: 'day' }} className="text-accent">
          Each day
        </Link>
      }
    >
      {error !== null && <Refusal error={error} />}
      {error === null && report === undefined && <div className="skeleton h-8" />}
      {report !== undefined &&
        (!report.whole.allowed && report.calls === 0 ? (
          <Closed can={report.whole} />
        ) : (
          <p>
            <span className="font-strong">{money(report.usd)}</span>
            <span className="text-quiet">
              {' '}
              paid by team {team} for {about} in the last {days} days, {plural(report.calls, 'call')}
            </span>
          </p>
        ))}
    </Section>
  );
}
