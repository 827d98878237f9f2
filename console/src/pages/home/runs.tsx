import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import type { Home } from '@gantry/contract/telling/home.ts';
import { Link } from '@tanstack/react-router';
import { useMe } from '../../me.ts';
import { buttonClass } from '../../parts/action/button.tsx';
import { count, money, plural } from '../../parts/figures/figures.ts';
import { Empty, Section } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { AgentState, reasonOf } from '../agents/agent-state.tsx';
import { noneListed } from '../agents/none-listed.ts';

/** The deployed agents, the ones that need attention first: state, last deploy, calls of the day. */
export function Runs({ home }: { home: Home | undefined }) {
  const { agents, undeployed = 0 } = home ?? {};
  const isAdmin = useMe()?.role === 'admin';
  return (
    <Section
      title="What runs"
      aside={
        <Link to="/agents" className="text-accent">
          all agents
        </Link>
      }
    >
      {agents?.length === 0 && undeployed === 0 && (
        <Empty
          action={
            <Link to="/new-agent" className={buttonClass('main')}>
              New agent
            </Link>
          }
        >
          {noneListed(isAdmin)} Drop a project on New agent, or type svc deploy in its folder.
        </Empty>
      )}
      {agents?.length === 0 && undeployed > 0 && <Empty>No agent is deployed.</Empty>}
      {agents?.length !== 0 && (
        <ul className="rounded border border-line bg-raised">
          {(agents ?? [undefined, undefined, undefined]).map((agent, index) =>
            agent === undefined ? (
              <li key={index} className="skeleton m-3 h-8" />
            ) : (
              <Line key={agent.name} agent={agent} />
            ),
          )}
        </ul>
      )}
      {undeployed > 0 && (
        <Link
          to="/agents"
          search={{ state: 'not_deployed' }}
          className="mt-2 inline-block text-meta text-quiet hover:text-accent"
        >
          {plural(undeployed, 'agent')} not deployed
        </Link>
      )}
    </Section>
  );
}

function Line({ agent }: { agent: AgentStatus }) {
  const { name, state, attention, ref, deployed_at, last_24h, cost } = agent;
  const { calls, errors, blocked } = last_24h;
  return (
    <li className="relative grid grid-cols-[minmax(0,1fr)_104px_112px] max-phone:grid-cols-[minmax(0,1fr)_96px_92px] max-phone:gap-2 items-baseline gap-3 border-b border-line px-3 py-2 last:border-b-0 hover:bg-hover">
      <span className="min-w-0">
        <Link to="/agents/$name" params={{ name }} className="font-strong after:absolute after:inset-0">
          {name}
        </Link>
        {attention.length > 0 ? (
          <span className="line-clamp-2 text-meta break-words text-quiet">{reasonOf(agent)}</span>
        ) : (
          <span className="block truncate text-meta text-quiet">
            {ref?.split('@')[1]}
            {deployed_at !== null && (
              <>
                {' · '}
                <When at={deployed_at} />
              </>
            )}
          </span>
        )}
      </span>
      <span className="text-meta">
        <AgentState state={state} attention={attention} />
      </span>
      <span className="text-right text-meta text-quiet">
        {plural(calls, 'call')}
        {errors > 0 && <span className="text-failed"> · {count(errors)} failed</span>}
        {blocked > 0 && <span className="block">{count(blocked)} blocked</span>}
        {cost !== null && <span className="block">{money(cost.today_usd)} today</span>}
      </span>
    </li>
  );
}
