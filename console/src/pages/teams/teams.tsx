import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { count } from '../../parts/figures/figures.ts';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field } from '../../parts/form/form.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';
import { usePeopleTabs } from '../people/people-tabs.ts';
import type { Team } from './members.tsx';

const adminsOf = ({ members }: Team) =>
  members.filter(({ role }) => role === 'admin').map(({ principal }) => principal.replace(/^user:/, ''));

const columns: readonly Column<Team>[] = [
  { header: 'Team', width: 'minmax(0,1fr)', cell: ({ name }) => name },
  { header: 'Your role', width: '120px', cell: ({ your_role }) => your_role ?? '–' },
  { header: 'Admins', width: 'minmax(0,2fr)', isExtra: true, cell: (team) => adminsOf(team).join(', ') || '–' },
  { header: 'Created', width: '110px', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
  { header: 'Members', width: '90px', isExtra: true, align: 'right', cell: ({ members }) => count(members.length) },
];

export function TeamsPage() {
  const teams = useInfiniteQuery(askList('teams.list', { query: { limit: 100 } }));
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Teams"
      tabs={usePeopleTabs()}
      svc="svc team list"
      about="A team owns assets, budgets and keys. Its admins decide for it."
      actions={
        <Action
          can={useMe()?.can['teams.create']}
          look="main"
          svc="svc team create <name>"
          onPress={() => setCreating(true)}
        >
          New team
        </Action>
      }
    >
      <List
        label="Teams"
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ name }) => ({ to: '/teams/$team', params: { team: name } })}
        {...pagesOf(teams)}
        empty={<Empty>You are in no team yet. An admin of a team adds you to it, with a role.</Empty>}
      />
      {isCreating && <NewTeam onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NewTeam({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const create = useSend('teams.create', { changes: ['auth'], says: ({ name }) => `Team ${name} exists` });
  return (
    <FormDialog
      title="New team"
      send="Create the team"
      sending={create}
      onSend={({ name = '' }) =>
        create.mutate(
          { body: { name } },
          { onSuccess: () => void navigate({ to: '/teams/$team', params: { team: name } }) },
        )
      }
      onClose={onClose}
    >
      <Field name="name" label="Name" required help="Lower-case letters, digits and hyphens." />
    </FormDialog>
  );
}
