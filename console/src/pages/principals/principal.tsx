import type { ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { IconButton } from '../../parts/action/button.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/action/menu.tsx';
import { Empty, Facts, Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { BudgetOf } from '../costs/budget-of.tsx';
import { KeyAge } from './key-age.tsx';
import { ChangePrincipal, DeletePrincipal, RotateKey } from './principal-dialogs.tsx';

const route = getRouteApi('/service-principals/$id');

const keyColumns: readonly Column<ServicePrincipal['keys'][number]>[] = [
  { header: 'Key', width: '150px', cell: ({ prefix }) => <span className="font-mono">{prefix}…</span> },
  { header: 'Seen by', width: 'minmax(0,1fr)', isExtra: true, cell: ({ issued_to }) => issued_to },
  { header: 'Created', width: '110px', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
  {
    header: 'Last used',
    width: '110px',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never used' : <When at={last_used_at} />),
  },
  {
    header: 'Works until',
    width: '110px',
    isExtra: true,
    cell: ({ ends_at }) => (ends_at === null ? 'rotated' : <When at={ends_at} />),
  },
];

export function PrincipalPage() {
  const { id } = route.useParams();
  const { data: principal, error } = useQuery(ask('principals.show', { params: { id } }));
  const [open, setOpen] = useState<'rotate' | 'change' | 'delete'>();
  const close = () => setOpen(undefined);
  const { name = 'Service principal', can } = principal ?? {};
  return (
    <Page
      title={name}
      above={[{ label: 'Service principals', link: { to: '/service-principals' } }]}
      state={principal && <KeyAge principal={principal} />}
      about={principal?.description}
      {...(principal && { svc: `svc principal show ${name}` })}
      actions={
        <>
          <Action
            can={can?.['principals.rotate_key']}
            look={principal?.key_is_old === true ? 'main' : 'plain'}
            svc={`svc principal rotate ${name}`}
            onPress={() => setOpen('rotate')}
          >
            Rotate the key
          </Action>
          <Menu trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}>
            <MenuItem
              {...(can?.['principals.update'] && { can: can['principals.update'] })}
              onPress={() => setOpen('change')}
            >
              Change role, assets or description
            </MenuItem>
            <MenuLine />
            <MenuItem
              {...(can?.['principals.delete'] && { can: can['principals.delete'] })}
              isDanger
              onPress={() => setOpen('delete')}
            >
              Delete the service principal…
            </MenuItem>
          </Menu>
        </>
      }
    >
      {error !== null && <Refusal error={error} />}
      {principal === undefined && error === null && <div className="skeleton h-80" />}
      {principal !== undefined && (
        <>
          <Section title="What it may do">
            <Facts
              facts={[
                [
                  'Team',
                  <Link key="team" to="/teams/$team" params={{ team: principal.team }} className="text-accent">
                    {principal.team}
                  </Link>,
                ],
                ['Role', principal.role],
                [
                  'Reaches',
                  <span key="reaches" className="font-mono text-meta">
                    {principal.allowed_assets.join('  ') || 'nothing yet'}
                  </span>,
                ],
                ['Created by', principal.created_by],
                ['Created', <When key="created" at={principal.created_at} />],
              ]}
            />
          </Section>
          <Section title="Keys">
            <List
              label="Keys"
              rows={principal.keys}
              keyOf={(key) => key.id}
              columns={keyColumns}
              empty={<Empty>No key works. Rotate the key to get a new one.</Empty>}
            />
          </Section>
          <Section title="Budget">
            <BudgetOf subject={{ scope: 'principal', scope_id: name }} />
          </Section>
          {open === 'rotate' && <RotateKey principal={principal} onClose={close} />}
          {open === 'change' && <ChangePrincipal principal={principal} onClose={close} />}
          {open === 'delete' && <DeletePrincipal principal={principal} onClose={close} />}
        </>
      )}
    </Page>
  );
}
