import type { Group } from '@gantry/contract/people/groups.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { count } from '../../parts/figures/figures.ts';
import { ChoiceFilter, Filters } from '../../parts/list/filters.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field, TextArea } from '../../parts/form/form.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';
import { usePeopleTabs } from '../people/people-tabs.ts';
import { TeamChoice, useTeamNames } from '../people/team-choice.tsx';

const route = getRouteApi('/groups');

const columns: readonly Column<Group>[] = [
  { header: 'Group', width: 'minmax(0,1fr)', cell: ({ name }) => name },
  { header: 'Team', width: '120px', cell: ({ team }) => team },
  { header: 'Description', width: 'minmax(0,2fr)', isExtra: true, cell: ({ description }) => description || '–' },
  { header: 'Members', width: '90px', isExtra: true, align: 'right', cell: ({ members }) => count(members.length) },
  { header: 'Created', width: '110px', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
];

export function GroupsPage() {
  const { team } = route.useSearch();
  const groups = useInfiniteQuery(askList('groups.list', { query: { limit: 100, ...(team && { team }) } }));
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Groups"
      tabs={usePeopleTabs()}
      svc="svc group list"
      about="A group is a named set of a team’s members. A permission that it gets is theirs."
      actions={
        <Button look="main" onClick={() => setCreating(true)}>
          New group
        </Button>
      }
    >
      <Filters>
        <ChoiceFilter name="team" label="All teams" options={useTeamNames()} />
      </Filters>
      <List
        label="Groups"
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/groups/$id', params: { id } })}
        {...pagesOf(groups)}
        empty={
          <Empty>
            No group yet. Make one for people who need the same permission, such as reviewers, and grant to the group.
          </Empty>
        }
      />
      {isCreating && <NewGroup team={team} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NewGroup({ team: chosen, onClose }: { team: string | undefined; onClose: () => void }) {
  const navigate = useNavigate();
  const create = useSend('groups.create', { says: ({ name, team }) => `Group ${name} of team ${team} exists` });
  return (
    <FormDialog
      title="New group"
      send="Create the group"
      sending={create}
      onSend={({ name = '', team = '', description = '' }) =>
        create.mutate(
          { body: { name, team, description } },
          { onSuccess: ({ answer: { id } }) => void navigate({ to: '/groups/$id', params: { id } }) },
        )
      }
      onClose={onClose}
    >
      <Field name="name" label="Name" required help="Lower-case letters, digits and hyphens." />
      <TeamChoice chosen={chosen} />
      <TextArea name="description" label="Description" rows={2} />
    </FormDialog>
  );
}
