import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import type { LinkProps } from '@tanstack/react-router';
import { List, type Column } from '../../parts/list/list.tsx';
import { Section } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';

type Asset = Answer<Endpoints['registry.show']>;
type Version = Asset['versions'][number];

export function Versions({ asset: { versions, serving_version }, shown }: { asset: Asset; shown: string | undefined }) {
  return (
    <Section title="Versions">
      <List
        label="Versions"
        columns={columnsWith(shown, serving_version)}
        rows={versions}
        keyOf={({ id }) => id}
        linkOf={({ version }) => ({ to: '.', search: { version } }) as LinkProps}
        empty={<p className="text-quiet">No version yet.</p>}
      />
    </Section>
  );
}

const columnsWith = (shown: string | undefined, serving: string | null): readonly Column<Version>[] => [
  {
    header: 'Version',
    width: '150px',
    cell: ({ version }) => `${version}${version === serving ? ', serving' : ''}${version === shown ? ' (shown)' : ''}`,
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
