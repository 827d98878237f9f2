// The head of every page of one team: what it has, what one can do with it, and its pages.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { IconButton } from '../../parts/action/button.tsx';
import { plural } from '../../parts/figures/figures.ts';
import { Menu, MenuItem } from '../../parts/action/menu.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import type { TeamDetail } from './members.tsx';
import { AddMember, DeleteTeam } from './team-dialogs.tsx';

interface TeamHeadProps {
  name: string;
  svc: string;
  children: (team: TeamDetail) => ReactNode;
}

export function TeamHead({ name, svc, children }: TeamHeadProps) {
  const team = useQuery(ask('teams.show', { params: { team: name } }));
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
      svc={svc}
      tabs={[
        { label: 'Overview', link: { to: '/teams/$team', params: { team: name } } },
        { label: 'Budget', link: { to: '/teams/$team/budget', params: { team: name } } },
      ]}
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
      {team.data !== undefined && children(team.data)}
      {open === 'add' && <AddMember team={name} onClose={close} />}
      {open === 'delete' && <DeleteTeam team={name} onClose={close} />}
    </Page>
  );
}
