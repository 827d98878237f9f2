import type { Home } from '@gantry/contract/telling/home.ts';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { money } from '../../parts/figures/figures.ts';
import { Empty, Section } from '../../parts/page/page.tsx';
import { State, type Meaning } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { titleOf } from '../deployments/operation-words.ts';

export interface Item {
  key: string;
  meaning: Meaning;
  what: string;
  link: LinkProps;
  title: string;
  detail: ReactNode;
  at: string | null;
}

/** Each line is one action away. */
export function Waiting({ home }: { home: Home | undefined }) {
  const items = home && itemsOf(home);
  return (
    <Section title="Waiting for you" aside={items !== undefined && items.length > 0 && items.length}>
      {items === undefined && <Skeletons />}
      {items?.length === 0 && (
        <Empty>
          Nothing waits for you: no request or call to decide, no run to answer, no failed operation, no key or budget
          near its end.
        </Empty>
      )}
      {items !== undefined && items.length > 0 && (
        <ul className="rounded border border-line bg-raised">
          {items.map((item) => (
            <Line key={item.key} item={item} />
          ))}
        </ul>
      )}
    </Section>
  );
}

export function Line({ item: { meaning, what, link, title, detail, at } }: { item: Item }) {
  return (
    <li className="relative grid grid-cols-[84px_minmax(0,1fr)_max-content] max-phone:grid-cols-[72px_minmax(0,1fr)_max-content] max-phone:gap-2 items-baseline gap-3 border-b border-line px-3 py-2 last:border-b-0 hover:bg-hover">
      <span className="text-meta">
        <State meaning={meaning}>{what}</State>
      </span>
      <span className="min-w-0">
        <Link {...link} className="font-strong after:absolute after:inset-0">
          {title}
        </Link>
        <span className="line-clamp-1 text-meta break-words text-quiet max-phone:line-clamp-2">{detail}</span>
      </span>
      <span className="text-meta text-quiet">{at !== null && <When at={at} />}</span>
    </li>
  );
}

function itemsOf(home: Home): Item[] {
  return [
    ...home.requests.items.map((request): Item => ({
      key: request.id,
      meaning: 'waiting',
      what: 'decide',
      link: { to: '/approvals/$id', params: { id: request.id } },
      title: `${request.asset} ${request.asset_version}`,
      detail: `${request.submitted_by} asks${request.message === '' ? '' : `: ${request.message}`}`,
      at: request.submitted_at,
    })),
    ...home.waiting_runs.map((run): Item => ({
      key: run.thread,
      meaning: 'waiting',
      what: 'answer',
      link: run.is_own
        ? { to: '/talk/$agent/{-$thread}', params: { agent: run.agent.replace('agents/', ''), thread: run.thread } }
        : { to: '/inbox' },
      title: run.agent,
      detail: run.is_own ? 'asks you before it goes on' : `asks before it goes on for ${run.caller}`,
      at: run.waiting_since,
    })),
    ...home.waiting_calls.map((call): Item => ({
      key: call.id,
      meaning: 'waiting',
      what: 'decide',
      link: { to: '/inbox' },
      title: `${call.tool} of ${call.server.replace('mcp-servers/', '').replace(/@.*/, '')}`,
      detail: `${call.agent === null ? call.caller : `${call.agent} for ${call.is_own ? 'you' : call.caller}`} asks to make this call`,
      at: call.asked_at,
    })),
    ...home.rejected.map((request): Item => ({
      key: request.id,
      meaning: 'failed',
      what: 'rejected',
      link: { to: '/approvals/$id', params: { id: request.id } },
      title: `${request.asset} ${request.asset_version}`,
      detail: request.reason ?? 'without a reason',
      at: request.decided_at,
    })),
    ...home.to_deploy.map((request): Item => ({
      key: request.id,
      meaning: 'waiting',
      what: 'deploy',
      link: toAgent(request.asset),
      title: `${request.asset} ${request.asset_version}`,
      detail: `approved by ${request.decided_by ?? 'an admin'}`,
      at: request.decided_at,
    })),
    ...home.failed_deployments.map((deployment): Item => ({
      key: deployment.id,
      meaning: 'failed',
      what: 'failed',
      link: { to: '/deployments/$id', params: { id: deployment.id } },
      title: titleOf(deployment),
      detail: reasonOf(deployment),
      at: deployment.ended_at,
    })),
    ...keysIn(home, (state) => state !== 'waiting'),
    ...home.budgets.map((budget): Item => ({
      key: `${budget.of} ${budget.window}`,
      meaning: 'waiting',
      what: 'budget',
      link: { to: '/budgets' },
      title: budget.of,
      detail: `${money(budget.spent_usd)} of ${money(budget.limit_usd)} per ${budget.window}`,
      at: budget.ends_at,
    })),
    // Nobody needs them to go on.
    ...keysIn(home, (state) => state === 'waiting'),
  ];
}

const keysIn = (home: Home, has: (state: Home['keys'][number]['state']) => boolean): Item[] =>
  home.keys
    .filter(({ state }) => has(state))
    .map((key) => ({
      key: key.id,
      meaning: key.state === 'waiting' ? 'none' : 'waiting',
      what: 'key',
      link: { to: '/keys/$id', params: { id: key.id } },
      title: key.alias ?? key.prefix,
      detail:
        key.state === 'waiting'
          ? 'A key to call models from your own code. Claim it when you need it; agents have keys of their own.'
          : 'ends soon',
      at: key.expires_at,
    }));

const toAgent = (asset: string): LinkProps => ({ to: '/agents/$name', params: { name: asset.replace('agents/', '') } });

function reasonOf({ problem }: Home['failed_deployments'][number]): string {
  const said = problem?.['detail'] ?? problem?.['title'];
  return typeof said === 'string' ? said : 'without a reason';
}

function Skeletons() {
  return (
    <div className="flex flex-col gap-3 rounded border border-line bg-raised p-3">
      {[1, 2, 3].map((each) => (
        <span key={each} className="skeleton h-8" />
      ))}
    </div>
  );
}
