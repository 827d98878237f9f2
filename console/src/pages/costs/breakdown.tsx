import type { CostReport } from '@gantry/contract/models/costs.ts';
import { Link } from '@tanstack/react-router';
import { count, money } from '../../parts/figures/figures.ts';
import { List, type Column } from '../../parts/list/list.tsx';
import { Meter } from '../../parts/figures/meter.tsx';
import { PartOf } from './part-of.tsx';

type Row = CostReport['rows'][number];

type Split = keyof Row['of'];

/** One row for each agent, team, model …, the dearest first. */
export function Breakdown({ report, split }: { report: CostReport | undefined; split: Split }) {
  return (
    <List
      label={`Costs by ${split}`}
      rows={report && sorted(report.rows, split)}
      keyOf={(row) => nameOf(row, split)}
      columns={columnsOf(split, report?.rows ?? [])}
      empty={<PartOf report={report} none="No calls in this time. A key calls models: make one under Keys." />}
    />
  );
}

const nameOf = ({ of }: Row, split: Split) => of[split] ?? `without ${/^[au]/.test(split) ? 'an' : 'a'} ${split}`;

function columnsOf(split: Split, rows: readonly Row[]): Column<Row>[] {
  const all = rows.map(({ usd }) => Number(usd));
  const most = Math.max(...all);
  const total = all.reduce((sum, usd) => sum + usd, 0);
  return [
    {
      header: `${split[0]?.toUpperCase()}${split.slice(1)}`,
      width: 'minmax(0,1.5fr)',
      cell: (row) => <Name row={row} split={split} />,
    },
    {
      header: 'Share',
      width: 'minmax(0,2fr)',
      isExtra: true,
      cell: (row) => <Meter part={most === 0 ? 0 : Number(row.usd) / most} label={`${nameOf(row, split)}: share`} />,
    },
    {
      header: '%',
      width: '48px',
      isExtra: true,
      align: 'right',
      cell: ({ usd }) => (total === 0 ? '–' : `${Math.round((Number(usd) / total) * 100)} %`),
    },
    { header: 'Cost', width: '100px', align: 'right', cell: ({ usd }) => money(usd) },
    { header: 'Calls', width: '80px', isExtra: true, align: 'right', cell: ({ calls }) => count(calls) },
    { header: 'Input', width: '90px', isExtra: true, align: 'right', cell: (row) => count(row.input_tokens) },
    { header: 'Output', width: '90px', isExtra: true, align: 'right', cell: (row) => count(row.output_tokens) },
    { header: 'Estimated', width: '80px', isExtra: true, align: 'right', cell: (row) => money(row.estimated_usd) },
  ];
}

function sorted(rows: readonly Row[], split: Split): Row[] {
  if (split === 'day') return rows.toSorted((a, b) => ((a.of.day ?? '') < (b.of.day ?? '') ? 1 : -1));
  return rows.toSorted((a, b) => Number(b.usd) - Number(a.usd));
}

/** Agents, teams and models narrow the page to themselves. */
function Name({ row, split }: { row: Row; split: Split }) {
  const value = row.of[split];
  const isFilter = split === 'agent' || split === 'team' || split === 'model';
  if (typeof value !== 'string' || !isFilter) return nameOf(row, split);
  return (
    <Link to="/costs" search={(before) => ({ ...before, [split]: value })} className="font-strong hover:text-accent">
      {value}
    </Link>
  );
}
