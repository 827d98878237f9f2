import type { AgentStatus } from '@gantry/contract/deploy.ts';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../parts/button.tsx';
import { count, money, plural } from '../../parts/figures.ts';
import { Empty, Section } from '../../parts/page.tsx';
import { When } from '../../parts/when.tsx';
import { AgentState } from '../agents/agent-state.tsx';

/** The agents with the latest changes: state, last deploy, calls of the day. */
export function Runs({ agents }: { agents: readonly AgentStatus[] | undefined }) {
  return (
    <Section
      title="What runs"
      aside={
        <Link to="/agents" className="text-accent">
          all agents
        </Link>
      }
    >
      {agents?.length === 0 ? (
        <Empty
          action={
            <Link to="/new-agent" className={buttonClass('main')}>
              New agent
            </Link>
          }
        >
          No agent is here yet. Drop a folder with agent.py, a dependency file and agent.yaml, or type svc deploy in it.
        </Empty>
      ) : (
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
    </Section>
  );
}

function Line({ agent: { name, state, ref, deployed_at, last_24h, cost } }: { agent: AgentStatus }) {
  return (
    <li className="relative grid grid-cols-[minmax(0,1fr)_104px_112px] max-phone:grid-cols-[minmax(0,1fr)_88px_92px] max-phone:gap-2 items-baseline gap-3 border-b border-line px-3 py-2 last:border-b-0 hover:bg-hover">
      <span className="min-w-0">
        <Link to="/agents/$name" params={{ name }} className="font-strong after:absolute after:inset-0">
          {name}
        </Link>
        <span className="block truncate text-meta text-quiet">
          {ref === null ? 'never deployed' : ref.split('@')[1]}
          {deployed_at !== null && (
            <>
              {' · '}
              <When at={deployed_at} />
            </>
          )}
        </span>
      </span>
      <span className="text-meta">
        <AgentState state={state} />
      </span>
      <span className="text-right text-meta text-quiet">
        {plural(last_24h.calls, 'call')}
        {last_24h.errors > 0 && <span className="text-failed"> · {count(last_24h.errors)} failed</span>}
        {cost !== null && <span className="block">{money(cost.today_usd)} today</span>}
      </span>
    </li>
  );
}
