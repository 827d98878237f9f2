import type { Group } from '@gantry/contract/people/groups.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ellipsis, X } from 'lucide-react';
import { useState } from 'react';
import { Action, Reason, type Allowed } from '../../parts/action/action.tsx';
import { IconButton } from '../../parts/action/button.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/action/menu.tsx';
import { Empty, Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { Tip } from '../../parts/tip.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask, send } from '../../server.ts';
import { AddGroupMember, ChangeGroup, DeleteGroup } from './group-dialogs.tsx';

const route = getRouteApi('/groups/$id');

export function GroupPage() {
  const { id } = route.useParams();
  const group = useQuery(ask('groups.show', { params: { id } }));
  const [open, setOpen] = useState<'add' | 'change' | 'delete'>();
  const close = () => setOpen(undefined);
  const { name = 'Group', can } = group.data ?? {};
  const emailOf = (member_id: string) => group.data?.members.find((each) => each.id === member_id)?.email ?? '';
  const remove = useSend('groups.remove_member', {
    says: (_, { params }) => `${emailOf(params.member_id)} left group ${name}`,
    undo: async (_, { params }) =>
      await send('groups.add_member', { params: { id }, body: { email: emailOf(params.member_id) } }),
  });
  return (
    <Page
      title={name}
      above={[{ label: 'Groups', link: { to: '/groups' } }]}
      about={
        group.data && (
          <>
            of team{' '}
            <Link to="/teams/$team" params={{ team: group.data.team }} className="text-accent underline">
              {group.data.team}
            </Link>
            {group.data.description !== '' && ` · ${group.data.description}`}
          </>
        )
      }
      {...(group.data && { svc: `svc group show ${name}` })}
      actions={
        <>
          <Action
            can={can?.['groups.add_member']}
            look="main"
            svc={`svc group add ${name} <e-mail>`}
            onPress={() => setOpen('add')}
          >
            Add a member
          </Action>
          <Menu trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}>
            <MenuItem {...(can?.['groups.update'] && { can: can['groups.update'] })} onPress={() => setOpen('change')}>
              Change name or description
            </MenuItem>
            <MenuLine />
            <MenuItem
              {...(can?.['groups.delete'] && { can: can['groups.delete'] })}
              isDanger
              onPress={() => setOpen('delete')}
            >
              Delete the group…
            </MenuItem>
          </Menu>
        </>
      }
    >
      {(group.error ?? remove.error) !== null && <Refusal error={group.error ?? remove.error} />}
      {group.isPending && <div className="skeleton h-40" />}
      {group.data !== undefined && (
        <Section title="Members">
          <List
            label="Members"
            rows={group.data.members}
            keyOf={(member) => member.id}
            columns={columnsOf(can?.['groups.remove_member'], (member_id) =>
              remove.mutate({ params: { id, member_id } }),
            )}
            empty={<Empty>Nobody is in this group yet, so what it may do nobody may.</Empty>}
          />
          {open === 'add' && <AddGroupMember group={group.data} onClose={close} />}
          {open === 'change' && <ChangeGroup group={group.data} onClose={close} />}
          {open === 'delete' && <DeleteGroup group={group.data} onClose={close} />}
        </Section>
      )}
    </Page>
  );
}

function columnsOf(can: Allowed | undefined, remove: (id: string) => void): Column<Group['members'][number]>[] {
  return [
    { header: 'Member', width: 'minmax(0,1fr)', cell: ({ email }) => email },
    {
      header: '',
      width: '32px',
      align: 'right',
      cell: ({ id, email }) => (
        <Tip text={can?.allowed === true ? 'Remove from the group' : <Reason can={can} />}>
          <IconButton
            label={`Remove ${email} from the group`}
            icon={<X size={14} />}
            disabled={can?.allowed !== true}
            focusableWhenDisabled
            onClick={() => remove(id)}
          />
        </Tip>
      ),
    },
  ];
}
