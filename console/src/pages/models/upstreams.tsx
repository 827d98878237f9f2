import type { Model, ModelUpstream } from '@gantry/contract/models/models.ts';
import { List, type Column } from '../../parts/list/list.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ShownUpstreamState } from './model-state.tsx';

const columns: readonly Column<ModelUpstream>[] = [
  { header: 'Address', width: 'minmax(0,1.6fr)', cell: ({ base_url }) => base_url },
  { header: 'State', width: '130px', cell: (upstream) => <ShownUpstreamState upstream={upstream} /> },
  { header: 'Priority', width: '60px', isExtra: true, align: 'right', cell: ({ priority }) => priority },
  { header: 'Weight', width: '60px', isExtra: true, align: 'right', cell: ({ weight }) => weight },
  { header: 'Secret', width: 'minmax(0,0.8fr)', isExtra: true, cell: ({ secret }) => secret ?? 'none' },
  { header: 'Last answer', width: '90px', isExtra: true, cell: ({ health }) => <When at={health?.last_success_at} /> },
  { header: 'Last failure', width: '90px', isExtra: true, cell: ({ health }) => <When at={health?.last_failure_at} /> },
  {
    header: 'Problem',
    width: 'minmax(0,1.4fr)',
    isExtra: true,
    cell: ({ fault, health }) => {
      const problem = fault ?? health?.last_problem ?? '';
      return <span title={problem}>{problem}</span>;
    },
  },
];

export function Upstreams({ model: { upstreams } }: { model: Model }) {
  return (
    <Section title="Upstreams" aside="as one process of the gateway saw them last">
      <List
        label="Upstreams"
        columns={columns}
        rows={upstreams}
        keyOf={({ base_url, priority }) => `${priority} ${base_url}`}
        empty={<Empty>It has no address. Give its config a `base_url`.</Empty>}
      />
    </Section>
  );
}
