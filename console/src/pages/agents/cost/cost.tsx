import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { count, money } from '../../../parts/figures/figures.ts';
import { ChoiceFilter } from '../../../parts/list/filters.tsx';
import { List, type Column } from '../../../parts/list/list.tsx';
import { later } from '../../../parts/browser/later.ts';
import { Section } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { useNow } from '../../../parts/figures/when.tsx';
import { ask } from '../../../server.ts';
import { AgentBudget } from './agent-budget.tsx';
import { AgentForecast } from './agent-forecast.tsx';
import { PartOf } from '../../costs/part-of.tsx';
import { AgentPage } from '../agent-page.tsx';
import { costsByDay, costsByModel, type ModelCost } from './costs-of-agent.ts';

// The charts' library is loaded with the first chart.
const costChart = later(() => import('./cost-chart.tsx'));
const CostChart = lazy(async () => ({ default: (await costChart()).CostChart }));

const route = getRouteApi('/agents/$name/cost');
const usual_days = 30;
const day_ms = 86_400_000;

const columns: readonly Column<ModelCost>[] = [
  { header: 'Model', width: 'minmax(0,2fr)', cell: ({ model }) => model },
  { header: 'Cost', width: '110px', align: 'right', cell: ({ usd }) => money(usd) },
  { header: 'Calls', width: '90px', align: 'right', isExtra: true, cell: ({ calls }) => count(calls) },
  { header: 'Tokens in', width: '110px', align: 'right', isExtra: true, cell: (row) => count(row.input_tokens) },
  { header: 'Tokens out', width: '110px', align: 'right', isExtra: true, cell: (row) => count(row.output_tokens) },
];

export function CostPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="cost">
      <div className="grid grid-cols-[minmax(0,7fr)_minmax(0,5fr)] gap-x-8 max-wide:grid-cols-1">
        <Costs name={name} />
        <div>
          <AgentForecast name={name} />
          <AgentBudget name={name} />
        </div>
      </div>
    </AgentPage>
  );
}

function Costs({ name }: { name: string }) {
  const days = Number(route.useSearch().since ?? usual_days);
  const today = Math.floor(useNow(60_000) / day_ms) * day_ms;
  const since = new Date(today - (days - 1) * day_ms).toISOString();
  const report = useQuery({
    ...ask('costs.report', { query: { by: 'day,model', agent: name, since } }),
    placeholderData: (before) => before,
  });
  if (report.error !== null && report.data === undefined) return <Refusal error={report.error} />;
  const models = report.data && costsByModel(report.data);
  return (
    <Section
      title={
        report.data === undefined || report.data.rows.length === 0
          ? 'Cost'
          : `${money(report.data.usd)} in ${days} days`
      }
      aside={
        <ChoiceFilter
          name="since"
          label={`${usual_days} days`}
          options={[
            { value: '7', label: '7 days' },
            { value: '90', label: '90 days' },
          ]}
        />
      }
    >
      {models?.length === 0 ? (
        <PartOf report={report.data} none="It has not called a model in this time." />
      ) : (
        <>
          <div className="mb-4 h-64 rounded border border-line bg-raised p-3">
            {report.data === undefined || models === undefined ? (
              <div className="skeleton h-full" />
            ) : (
              <Suspense fallback={<div className="skeleton h-full" />}>
                <CostChart days={costsByDay(report.data, days, today)} models={models.map(({ model }) => model)} />
              </Suspense>
            )}
          </div>
          <List
            label="Cost by model"
            columns={columns}
            rows={models}
            keyOf={({ model }) => model}
            linkOf={({ model }) => ({ to: '/models/$name', params: { name: model } })}
            empty={null}
          />
        </>
      )}
    </Section>
  );
}
