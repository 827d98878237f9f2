import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { IconButton } from '../../parts/action/button.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/action/menu.tsx';
import { Empty, Facts, Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { ask, send } from '../../server.ts';
import { ChangeUser, RemoveUser, ResetPassword } from './user-dialogs.tsx';
import { UserState } from './user-state.tsx';

const route = getRouteApi('/users/$id');

export function UserPage() {
  const { id } = route.useParams();
  const user = useQuery(ask('users.show', { params: { id } }));
  const can = useMe()?.can;
  const [open, setOpen] = useState<'reset' | 'change' | 'remove'>();
  const close = () => setOpen(undefined);
  const { email = '', active = true } = user.data ?? {};
  const enable = useSend('users.update', {
    changes: ['teams'],
    says: (after) => (after.active ? `${after.email} can sign in again` : `${after.email} is signed out and disabled`),
    undo: async (after) => await send('users.update', { params: { id }, body: { active: !after.active } }),
  });
  return (
    <Page
      title={user.data?.name ?? 'User'}
      above={[{ label: 'Users', link: { to: '/users' } }]}
      state={user.data && <UserState user={user.data} />}
      about={email}
      svc={`svc user show ${email}`}
      actions={
        <>
          <Action
            can={can?.['users.reset_password']}
            svc={`svc user reset-password ${email}`}
            onPress={() => setOpen('reset')}
          >
            Reset password
          </Action>
          <Action
            can={can?.['users.update']}
            svc={`svc user ${active ? 'disable' : 'enable'} ${email}`}
            isBusy={enable.isPending}
            onPress={() => enable.mutate({ params: { id }, body: { active: !active } })}
          >
            {active ? 'Disable' : 'Enable'}
          </Action>
          <Menu trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}>
            <MenuItem {...(can?.['users.update'] && { can: can['users.update'] })} onPress={() => setOpen('change')}>
              Change name or platform role
            </MenuItem>
            <MenuLine />
            <MenuItem
              {...(can?.['users.remove'] && { can: can['users.remove'] })}
              isDanger
              onPress={() => setOpen('remove')}
            >
              Remove for good…
            </MenuItem>
          </Menu>
        </>
      }
    >
      {(user.error ?? enable.error) !== null && <Refusal error={user.error ?? enable.error} />}
      {user.data !== undefined && (
        <>
          <Section title="Account">
            <Facts
              facts={[
                ['E-mail', email],
                ['Platform role', user.data.role],
                ['Created', <When key="created" at={user.data.created_at} />],
                [
                  'Actions',
                  <Link key="actions" to="/audit" search={{ user: email }} className="text-accent">
                    in the audit log
                  </Link>,
                ],
              ]}
            />
          </Section>
          <Section title="Teams">
            <List
              label="Teams"
              rows={user.data.teams}
              keyOf={({ name }) => name}
              linkOf={({ name }) => ({ to: '/teams/$team', params: { team: name } })}
              columns={columnsOf(email)}
              empty={<Empty>In no team yet. An admin adds them on the page of a team.</Empty>}
            />
          </Section>
          {open === 'reset' && <ResetPassword user={user.data} onClose={close} />}
          {open === 'change' && <ChangeUser user={user.data} onClose={close} />}
          {open === 'remove' && <RemoveUser user={user.data} onClose={close} />}
        </>
      )}
    </Page>
  );
}

function columnsOf(email: string): Column<{ name: string; role: string }>[] {
  return [
    { header: 'Team', width: 'minmax(0,1fr)', cell: ({ name }) => name },
    { header: 'Role', width: '120px', cell: ({ role }) => role },
    {
      header: 'Budget',
      width: '80px',
      cell: ({ name }) => (
        <Link to="/teams/$team/budget" params={{ team: name }} search={{ of: email }} className="text-accent">
          budget
        </Link>
      ),
    },
  ];
}
