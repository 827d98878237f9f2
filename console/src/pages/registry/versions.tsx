import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { List, type Column } from '../../parts/list.tsx';
import { Section } from '../../parts/page.tsx';
import { State } from '../../parts/state.tsx';
import { When } from '../../parts/when.tsx';

type Asset = Answer<Endpoints['registry.show']>;
type Version = Asset['versions'][number];

export function Versions({ asset: { kind, name, versions }, shown }: { asset: Asset; shown: string | undefined }) {
  return (
    <Section title="Versions">
      <List
        label="Versions"
        columns={columnsWith(shown)}
        rows={versions}
        keyOf={({ id }) => id}
        linkOf={({ version }) => ({ to: '/registry/$kind/$name', params: { kind, name }, search: { version } })}
        empty={<p className="text-quiet">No version yet.</p>}
      />
    </Section>
  );
}

const columnsWith = (shown: string | undefined): readonly Column<Version>[] => [
  {
    header: 'Version',
    width: '110px',
    cell: ({ version }) => (version === shown ? `${version} (shown)` : version),
  },
  {
    header: 'Approved',
    width: '100px',
    cell: ({ approved }) => <State meaning={approved ? 'good' : 'none'}>{approved ? 'approved' : 'no'}</State>,
  },
  { header: 'Message', width: 'minmax(0,1fr)', isExtra: true, cell: ({ message }) => message },
  { header: 'By', width: 'minmax(0,0.8fr)', isExtra: true, cell: ({ pushed_by }) => pushed_by },
  { header: 'Made', width: '90px', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
];
