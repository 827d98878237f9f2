// The head of every page of one agent: its name, its state with the reason, its address, what one can do with it, and its pages.
import { mcpAddress } from '@gantry/contract/agents/mcp-address.ts';
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Copy } from '../../parts/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { AgentActions } from './agent-actions.tsx';
import { AgentState, reasonOf } from './agent-state.tsx';
import { UpcomingLine } from './upcoming-line.tsx';

const tabs = {
  overview: { label: 'Overview', to: '/agents/$name', svc: (name: string) => `svc status ${name}` },
  deployments: {
    label: 'Deployments',
    to: '/agents/$name/deployments',
    svc: (name: string) => `svc deployments list ${name}`,
  },
  revisions: {
    label: 'Versions',
    to: '/agents/$name/revisions',
    svc: (name: string) => `svc registry agent versions ${name}`,
  },
  difference: {
    label: 'Difference',
    to: '/agents/$name/difference',
    svc: (name: string) => `svc diff agents/${name}@<from> agents/${name}@<to>`,
  },
  config: { label: 'Config', to: '/agents/$name/config', svc: (name: string) => `svc registry agent show ${name}` },
  logs: { label: 'Logs', to: '/agents/$name/logs', svc: (name: string) => `svc logs ${name}` },
  traces: { label: 'Traces', to: '/agents/$name/traces', svc: (name: string) => `svc trace list ${name}` },
  access: { label: 'Access', to: '/agents/$name/access', svc: (name: string) => `svc acl list --asset agents/${name}` },
  secrets: { label: 'Secrets', to: '/agents/$name/secrets', svc: (name: string) => `svc secret list --agent ${name}` },
  cost: { label: 'Cost', to: '/agents/$name/cost', svc: (name: string) => `svc costs --by day,model --agent ${name}` },
} as const;

type AgentTab = keyof typeof tabs;

interface AgentPageProps {
  name: string;
  tab: AgentTab;
  /** Otherwise that of the tab. */
  svc?: string;
  wide?: boolean;
  children: ReactNode;
}

export function AgentPage({ name, tab, svc, wide = false, children }: AgentPageProps) {
  const status = useQuery(ask('agents.status', { params: { name } }));
  const asset = useQuery(ask('registry.show', { params: { kind: 'agent', name } }));
  const above = [{ label: 'Agents', link: { to: '/agents' } }] as const;
  const error = asset.error ?? status.error;
  if (error !== null && (asset.data === undefined || status.data === undefined))
    return (
      <Page title={name} above={above}>
        <Refusal error={error} />
      </Page>
    );
  return (
    <Page
      title={name}
      above={above}
      wide={wide}
      state={status.data === undefined ? <StateSkeleton /> : <StateWithReason status={status.data} />}
      actions={
        status.data !== undefined &&
        asset.data !== undefined && <AgentActions status={status.data} asset={asset.data} />
      }
      about={<About status={status.data} />}
      svc={svc ?? tabs[tab].svc(name)}
      tabs={Object.entries(tabs).map(([key, { label, to }]) => ({
        label,
        link: { to, params: { name } } satisfies LinkProps,
        // Who may edit the agent sees what it costs, but not always its budget.
        can: key === 'cost' && status.data?.cost === null ? status.data.can?.['budgets.show'] : undefined,
      }))}
    >
      {children}
    </Page>
  );
}

// A reason can end with lines of the container; the overview shows them all.
function StateWithReason({ status }: { status: AgentStatus }) {
  const { state, attention, ref } = status;
  const [reason = ''] = reasonOf(status).split('\n');
  return (
    <span className="flex min-w-0 items-baseline gap-3">
      <AgentState state={state} attention={attention} />
      {ref !== null && <span className="text-quiet">{ref.split('@')[1]}</span>}
      <span className="max-w-120 min-w-0 truncate text-quiet max-phone:hidden" title={reason}>
        {reason}
      </span>
    </span>
  );
}

function StateSkeleton() {
  return <span className="skeleton h-5 w-28" />;
}

/** The way of its newest version, then its address. After a rollback, the newest one is on no way. */
function About({ status }: { status: AgentStatus | undefined }) {
  if (status === undefined) return <span className="skeleton inline-block h-4 w-72" />;
  const { endpoint, upcoming, rolled_back } = status;
  const isOnItsWay = upcoming !== null && rolled_back?.from !== upcoming.version;
  return (
    <>
      {isOnItsWay && <UpcomingLine upcoming={upcoming} />}
      {endpoint !== null && <Endpoint endpoint={endpoint} />}
      {endpoint === null && !isOnItsWay && 'It has no address until it is deployed.'}
    </>
  );
}

function Endpoint({ endpoint }: { endpoint: string }) {
  return (
    <span className="font-mono text-meta">
      <Copy text={endpoint} label="the address" />
      {' · as a tool: '}
      <Copy text={mcpAddress(endpoint)} label="the address as an MCP server" />
    </span>
  );
}
