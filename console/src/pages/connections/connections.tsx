// What may act in the name of the reader at MCP servers: their connections, the agents that use them, and the agents that ask for it.
import type { Connection } from '@gantry/contract/agents/connections.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field } from '../../parts/form/form.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { AllowedClients } from '../clients/allowed-clients.tsx';
import { Ask, serverName } from './ask.tsx';

const route = getRouteApi('/connections');

export function ConnectionsPage() {
  const { ask: linked } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(ask('connections.show', {}));
  const [isConnecting, setConnecting] = useState(false);
  const open = async (id: string) => await navigate({ search: { ask: id } });
  // A link for somebody who only connects is shown when it is opened.
  const asks = data?.asks.filter(({ id, agent }) => agent !== null || id === linked) ?? [];
  return (
    <Page
      title="What may act in my name"
      svc="svc connections"
      about="Agents call these servers with your own credential, which they never see. Each agent needs your consent."
      actions={
        <Button look="main" onClick={() => setConnecting(true)}>
          Connect to a server
        </Button>
      }
    >
      {error !== null && <Refusal error={error} />}
      {data === undefined && error === null && <div className="skeleton h-40" />}
      {data !== undefined && linked !== undefined && !asks.some(({ id }) => id === linked) && (
        <p role="status" className="mb-4 rounded border border-line bg-raised px-3 py-2.5">
          This link was made for another person, or it has ended.
        </p>
      )}
      <ul className="mb-6 flex max-w-[800px] flex-col gap-4 empty:hidden">
        {asks.map((one) => (
          <Ask key={one.id} ask={one} />
        ))}
      </ul>
      <AllowedClients />
      {data?.connections.length === 0 && asks.length === 0 && (
        <Empty>Nothing acts in your name. An agent that wants to is listed here, when you call it.</Empty>
      )}
      <ul className="flex max-w-[800px] flex-col gap-4">
        {data?.connections.map((one) => (
          <Connected key={one.server} connection={one} onAsk={open} />
        ))}
      </ul>
      {isConnecting && <Connect onAsk={open} onClose={() => setConnecting(false)} />}
    </Page>
  );
}

function Connect({ onAsk, onClose }: { onAsk: (id: string) => Promise<void>; onClose: () => void }) {
  const begin = useSend('connections.ask');
  const send = ({ server = '' }: Record<string, string>) =>
    begin.mutate({ params: { name: server } }, { onSuccess: ({ answer }) => void onAsk(answer.id).then(onClose) });
  return (
    <FormDialog title="Connect to a server" send="Continue" sending={begin} onSend={send} onClose={onClose}>
      <Field name="server" label="The name of the MCP server" required />
    </FormDialog>
  );
}

function Connected({ connection, onAsk }: { connection: Connection; onAsk: (id: string) => Promise<void> }) {
  const { server, address, issuer, is_void, agents, connected_at, last_used_at, expires_at, is_refreshed } = connection;
  const name = serverName(server);
  const [isEnding, setEnding] = useState(false);
  const again = useSend('connections.ask');
  const stop = useSend('connections.remove', {
    says: (_, { query }) => `${query?.asset ?? ''} no longer acts in your name at ${name}`,
  });
  return (
    <li className="flex flex-col gap-2 rounded border border-line bg-raised px-3 py-2.5" aria-label={name}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-section">{name}</h2>
        <span className="text-meta text-quiet">
          {address}, {issuer === null ? 'with a key' : `signed in at ${issuer}`}, connected <When at={connected_at} />
          {last_used_at === null ? ', never used' : ', last used '}
          {last_used_at !== null && <When at={last_used_at} />}
          {!is_refreshed && expires_at !== null && ', expires '}
          {!is_refreshed && expires_at !== null && <When at={expires_at} />}
        </span>
      </div>
      {is_void && (
        <p>
          This connection has ended, or the server has another address or sign-in now.{' '}
          <Button
            onClick={() => again.mutate({ params: { name } }, { onSuccess: ({ answer }) => void onAsk(answer.id) })}
          >
            Connect again
          </Button>
        </p>
      )}
      {agents.length === 0 && <p className="text-quiet">No agent uses it.</p>}
      <ul className="flex flex-col gap-1.5">
        {agents.map(({ asset, calls, writes }) => (
          <li key={asset} className="flex flex-wrap items-center gap-x-3">
            <span>{asset.replace('agents/', '')}</span>
            <span className="text-meta text-quiet">
              {calls ? '' : 'through another agent, '}
              {writes.length === 0 ? 'reads' : `may write with ${writes.join(', ')}`}
            </span>
            <Button
              look="quiet"
              disabled={stop.isPending}
              onClick={() => stop.mutate({ params: { name }, query: { asset } })}
            >
              Stop
            </Button>
          </li>
        ))}
      </ul>
      {stop.error !== null && <Refusal error={stop.error} />}
      <div>
        <Button onClick={() => setEnding(true)}>Disconnect…</Button>
      </div>
      {isEnding && <Disconnect name={name} onClose={() => setEnding(false)} />}
    </li>
  );
}

function Disconnect({ name, onClose }: { name: string; onClose: () => void }) {
  const remove = useSend('connections.remove', {
    says: ({ is_revoked }) =>
      is_revoked
        ? `You are disconnected from ${name}, and the token is revoked there`
        : `You are disconnected from ${name}; it has revoked nothing`,
  });
  return (
    <Confirm
      title={`Disconnect from ${name}`}
      about="No agent acts in your name there any more. What they have done stays."
      send="Disconnect"
      sending={remove}
      onSend={() => remove.mutate({ params: { name } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
