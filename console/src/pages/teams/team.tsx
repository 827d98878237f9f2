import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action.tsx';
import { IconButton } from '../../parts/button.tsx';
import { plural } from '../../parts/figures.ts';
import { List, pagesOf } from '../../parts/list.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { Empty, Page, Section } from '../../parts/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { When } from '../../parts/when.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { ask, askList } from '../../server.ts';
import { BudgetOf } from '../costs/budget-of.tsx';
import { Members } from './members.tsx';
import { AddMember, DeleteTeam } from './team-dialogs.tsx';

const route = getRouteApi('/teams/$team');

export function TeamPage() {
  const { team: name } = route.useParams();
  const team = useQuery(ask('teams.show', { params: { team: name } }));
  const groups = useInfiniteQuery(askList('groups.list', { query: { team: name, limit: 50 } }));
  const principals = useInfiniteQuery(askList('principals.list', { query: { team: name, limit: 50 } }));
  const [open, setOpen] = useState<'add' | 'delete'>();
  const close = () => setOpen(undefined);
  const can = team.data?.can;
  const canDelete = useMe()?.can['teams.delete'];
  return (
    <Page
      title={name}
      above={[{ label: 'Teams', link: { to: '/teams' } }]}
      state={team.data?.your_role && <span className="text-quiet">you are {team.data.your_role}</span>}
      about={
        team.data && (
          <>
            {plural(team.data.members.length, 'member')} · created <When at={team.data.created_at} /> ·{' '}
            <Link to="/agents" search={{ team: name }} className="text-accent underline">
              agents
            </Link>{' '}
            ·{' '}
            <Link to="/keys" search={{ team: name }} className="text-accent underline">
              keys
            </Link>{' '}
            ·{' '}
            <Link to="/costs" search={{ team: name }} className="text-accent underline">
              costs
            </Link>
          </>
        )
      }
      svc={`svc team show ${shellWord(name)}`}
      actions={
        <>
          <Action
            can={can?.['teams.add_member']}
            look="main"
            svc={`svc team add ${shellWord(name)} user:<e-mail> --role viewer`}
            onPress={() => setOpen('add')}
          >
            Add a member
          </Action>
          <Menu trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}>
            <MenuItem {...(canDelete && { can: canDelete })} isDanger onPress={() => setOpen('delete')}>
              Delete the team…
            </MenuItem>
          </Menu>
        </>
      }
    >
      {team.error !== null && <Refusal error={team.error} />}
      {team.data !== undefined && (
        <>
          <Section title="Members">
            <Members team={team.data} />
          </Section>
          {can?.['budgets.show']?.allowed === true && (
            <Section title="Budget" aside={<Link to="/budgets">all budgets</Link>}>
              <BudgetOf scope="team" scope_id={name} can={can['budgets.set']} />
            </Section>
          )}
        </>
      )}
      <Section title="Groups" aside={<Link to="/groups">all groups</Link>}>
        <List
          label="Groups"
          {...pagesOf(groups)}
          keyOf={({ id }) => id}
          linkOf={({ id }) => ({ to: '/groups/$id', params: { id } })}
          columns={[
            { header: 'Group', width: 'minmax(0,1fr)', cell: (group) => group.name },
            { header: 'Description', width: 'minmax(0,2fr)', isExtra: true, cell: ({ description }) => description },
            { header: 'Members', width: '90px', align: 'right', cell: ({ members }) => members.length },
          ]}
          empty={<Empty>No group. A group is a named set of members, to grant to.</Empty>}
        />
      </Section>
      <Section title="Service principals" aside={<Link to="/service-principals">all service principals</Link>}>
        <List
          label="Service principals"
          {...pagesOf(principals)}
          keyOf={({ id }) => id}
          linkOf={({ id }) => ({ to: '/service-principals/$id', params: { id } })}
          columns={[
            { header: 'Name', width: 'minmax(0,1fr)', cell: (principal) => principal.name },
            {
              header: 'Reaches',
              width: 'minmax(0,2fr)',
              isExtra: true,
              cell: (each) => each.allowed_assets.join(', '),
            },
            { header: 'Role', width: '120px', cell: ({ role }) => role },
          ]}
          empty={<Empty>No service principal. A pipeline signs in as one, with a key instead of a password.</Empty>}
        />
      </Section>
      {open === 'add' && <AddMember team={name} onClose={close} />}
      {open === 'delete' && <DeleteTeam team={name} onClose={close} />}
    </Page>
  );
}
