// The agents that one can talk to.
import { useInfiniteQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { Filters, SearchFilter, useFilter } from '../../parts/list/filters.tsx';
import { List, pagesOf, Shown, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { askList } from '../../server.ts';
import { AgentState } from '../agents/agent-state.tsx';

const columns: readonly Column<AgentStatus>[] = [
  { header: 'Agent', width: 'minmax(0,2fr)', cell: ({ name }) => name },
  {
    header: 'State',
    width: '120px',
    cell: ({ state, attention }) => <AgentState state={state} attention={attention} />,
  },
  { header: 'Team', width: 'minmax(0,1fr)', isExtra: true, cell: ({ team }) => team },
];

const linkOf = ({ name: agent }: AgentStatus): LinkProps => ({
  to: '/talk/$agent/{-$thread}',
  params: { agent, thread: undefined },
});

export function TalkAgentsPage() {
  const [text] = useFilter('text');
  const query = { limit: 200, total: 'true', ...(text !== '' && { text }) };
  const agents = useInfiniteQuery(askList('agents.statuses', { query }));
  const { rows, ...rest } = pagesOf(agents);
  return (
    <Page title="Talk" svc="svc invoke <agent> '…' --thread new">
      <Filters aside={<Shown of={agents} noun="agent" />}>
        <SearchFilter label="Search agents" />
      </Filters>
      <List
        label="Agents"
        columns={columns}
        keyOf={({ name }) => name}
        linkOf={linkOf}
        rows={rows?.filter(({ state }) => state !== 'not_deployed')}
        {...rest}
        empty={<Empty>No agent that you may read is deployed.</Empty>}
      />
    </Page>
  );
}
