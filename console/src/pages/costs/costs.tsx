import type { CostReport } from '@gantry/contract/models/costs.ts';
import { costsCsv } from '@gantry/contract/models/costs-csv.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { Reason } from '../../parts/action/action.tsx';
import { Button } from '../../parts/action/button.tsx';
import { count, money, plural } from '../../parts/figures/figures.ts';
import { ChipFilter, ChoiceFilter, Filters } from '../../parts/list/filters.tsx';
import { Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { saveFile } from '../../parts/browser/save-file.ts';
import { useNow } from '../../parts/figures/when.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { ask } from '../../server.ts';
import { useTeamNames } from '../people/team-choice.tsx';
import { Breakdown } from './breakdown.tsx';
import { costsTabs } from './costs-tabs.ts';
import { Days } from './days.tsx';

const route = getRouteApi('/costs');

const splits = ['agent', 'team', 'model', 'tool', 'key', 'user', 'principal', 'day'] as const;
const spans = [7, 30, 90];
const refreshed_ms = 300_000;

export function CostsPage() {
  const { by, since, ...filter } = route.useSearch();
  const split = splits.find((each) => each === by) ?? 'agent';
  const days = spans.find((each) => `${each}d` === since) ?? 30;
  const from = new Date(useNow(refreshed_ms) - days * 86_400_000).toISOString();
  const report = useQuery(ask('costs.report', { query: { ...filter, by: split, since: from } }));
  const daily = useQuery(ask('costs.report', { query: { ...filter, by: 'day', since: from } }));
  const svc = [
    'svc costs',
    `--by ${split}`,
    `--since ${days}d`,
    ...Object.entries(filter).map(([k, v]) => `--${k} ${shellWord(v)}`),
  ];
  return (
    <Page
      title="Costs"
      tabs={costsTabs}
      svc={svc.join(' ')}
      about="What calls to models and of tools have cost, from the ledger: yours, those of agents that you may edit, of teams whose costs you may read."
      actions={
        <Button icon={<Download size={14} />} disabled={report.data === undefined} onClick={() => save(report.data)}>
          CSV
        </Button>
      }
    >
      <Filters>
        <ChoiceFilter
          name="by"
          label="By agent"
          options={splits.slice(1).map((value) => ({ value, label: `By ${value}` }))}
        />
        <ChoiceFilter
          name="since"
          label="Last 30 days"
          options={spans
            .filter((each) => each !== 30)
            .map((each) => ({ value: `${each}d`, label: `Last ${each} days` }))}
        />
        <ChoiceFilter name="team" label="All teams" options={useTeamNames()} />
        <ChipFilter name="agent" label="agent" />
        <ChipFilter name="model" label="model" />
        <ChipFilter name="tag" label="tag" />
      </Filters>
      {report.error !== null && <Refusal error={report.error} />}
      {report.error === null && (
        <>
          <Total report={report.data} days={days} />
          <Section title="Each day">
            {daily.data === undefined ? <div className="skeleton h-44" /> : <Days report={daily.data} days={days} />}
          </Section>
          <Section title={`By ${split}`}>
            <Breakdown report={report.data} split={split} />
          </Section>
        </>
      )}
    </Page>
  );
}

function Total({ report, days }: { report: CostReport | undefined; days: number }) {
  if (report?.whole.allowed === false && report.calls === 0)
    return <p className="mb-6 min-h-8 text-section text-quiet">No call of this time is one that you may see.</p>;
  const tokens = report?.rows.reduce((sum, row) => sum + row.input_tokens + row.output_tokens, 0);
  return (
    <p className="mb-6 flex min-h-8 flex-wrap items-baseline gap-x-3">
      <span className={report === undefined ? 'skeleton text-title' : 'text-title'}>{money(report?.usd ?? 0)}</span>
      <span className="text-quiet">
        {plural(report?.calls ?? 0, 'call')} and {count(tokens ?? 0)} tokens in the last {days} days
        {report?.whole.allowed === false && ', of those that you may see'}
      </span>
      {report?.whole.allowed === false && (
        <span className="text-meta text-quiet">
          <Reason can={report.whole} />
        </span>
      )}
    </p>
  );
}

function save(report: CostReport | undefined): void {
  if (report === undefined) return;
  const name = `costs-by-${report.by.join('-')}-${report.since.slice(0, 10)}-${report.until.slice(0, 10)}.csv`;
  saveFile(name, new Blob([costsCsv(report)], { type: 'text/csv' }));
}
