import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List, pagesOf } from '../../parts/list/list.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { askList } from '../../server.ts';
import { ReadingGrants } from '../people/reading-grants.tsx';
import { Members } from './members.tsx';
import { TeamHead } from './team-head.tsx';

const route = getRouteApi('/teams/$team');

export function TeamPage() {
  const { team: name } = route.useParams();
  const groups = useInfiniteQuery(askList('groups.list', { query: { team: name, limit: 50 } }));
  const principals = useInfiniteQuery(askList('principals.list', { query: { team: name, limit: 50 } }));
  return (
    <TeamHead name={name} svc={`svc team show ${shellWord(name)}`}>
      {(team) => (
        <>
          <Section title="Members">
            <Members team={team} />
          </Section>
          <ReadingGrants team={name} can={team.can['grants.create']} />
          <Section title="Groups" aside={<Link to="/groups">all groups</Link>}>
            <List
              label="Groups"
              {...pagesOf(groups)}
              keyOf={({ id }) => id}
              linkOf={({ id }) => ({ to: '/groups/$id', params: { id } })}
              columns={[
                { header: 'Group', width: 'minmax(0,1fr)', cell: (group) => group.name },
                {
                  header: 'Description',
                  width: 'minmax(0,2fr)',
                  isExtra: true,
                  cell: ({ description }) => description,
                },
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
        </>
      )}
    </TeamHead>
  );
}
