import { roles } from '@gantry/contract/roles.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { ChoiceFilter, Filters, SearchFilter, useFilter } from '../../parts/list/filters.tsx';
import { List, pagesOf, Shown, type Column } from '../../parts/list/list.tsx';
import { Closed, Empty, Page } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';
import { usePeopleTabs } from '../people/people-tabs.ts';
import { NewUser } from './new-user.tsx';
import { UserState, type User } from './user-state.tsx';

const route = getRouteApi('/users');

const columns: readonly Column<User>[] = [
  { header: 'E-mail', width: 'minmax(0,2fr)', cell: ({ email }) => email },
  { header: 'Name', width: 'minmax(0,1fr)', isExtra: true, cell: ({ name }) => name },
  { header: 'Platform role', width: '100px', isExtra: true, cell: ({ role }) => role },
  {
    header: 'Teams',
    width: 'minmax(0,2fr)',
    isExtra: true,
    cell: ({ teams }) => teams.map(({ name, role }) => `${name} (${role})`).join(', ') || '–',
  },
  { header: 'State', width: '170px', cell: (user) => <UserState user={user} /> },
  { header: 'Created', width: '90px', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
];

export function UsersPage() {
  const { text, role } = route.useSearch();
  const known = roles.find((each) => each === role);
  const query = {
    limit: 100,
    total: 'true',
    ...(text !== undefined && { text }),
    ...(known !== undefined && { role: known }),
  };
  const can = useMe()?.can;
  const mayList = can?.['users.list'];
  const users = useInfiniteQuery({ ...askList('users.list', { query }), enabled: mayList?.allowed === true });
  const [creating, setCreating] = useFilter('new');
  return (
    <Page
      title="Users"
      tabs={usePeopleTabs()}
      svc="svc user list"
      about="Everybody who can sign in. Only admins of the platform see them all."
      actions={
        <Action
          can={can?.['users.create']}
          look="main"
          svc="svc user create <e-mail>"
          onPress={() => setCreating('yes')}
        >
          Invite a user
        </Action>
      }
    >
      {mayList?.allowed !== true ? (
        <Closed can={mayList} />
      ) : (
        <>
          <Filters aside={<Shown of={users} noun="user" />}>
            <SearchFilter label="Search users" />
            <ChoiceFilter name="role" label="Any platform role" options={roles} />
          </Filters>
          <List
            label="Users"
            columns={columns}
            keyOf={({ id }) => id}
            linkOf={({ id }) => ({ to: '/users/$id', params: { id } })}
            {...pagesOf(users)}
            empty={<Empty>No user fits these filters.</Empty>}
          />
        </>
      )}
      {creating !== '' && <NewUser onClose={() => setCreating('')} />}
    </Page>
  );
}
