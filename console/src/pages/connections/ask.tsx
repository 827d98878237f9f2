// An agent that wants to act in the name of the reader, or a server to which they connect. The consent is for exactly what stands here.
import type { ConnectionAsk } from '@gantry/contract/agents/connections.ts';
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field } from '../../parts/form/form.tsx';
import { Refusal } from '../../parts/refusal.tsx';

export const serverName = (ref: string) => ref.replace('mcp-servers/', '');

export function Ask({ ask }: { ask: ConnectionAsk }) {
  const { id, agent, server, address, through, writes, is_connected, expires_at } = ask;
  const name = serverName(server);
  const who = agent?.replace('agents/', '');
  return (
    <li
      className="flex flex-col gap-2.5 rounded border border-line border-l-2 border-l-waiting bg-raised px-3 py-2.5"
      aria-label={who === undefined ? `Connect to ${name}` : `${who} at ${name}`}
    >
      <h2 className="text-section">
        {who === undefined ? `Connect to ${name}` : `${who} wants to act in your name at ${name}`}
      </h2>
      <p className="text-meta text-quiet">
        {address}
        {through.length > 1 && `, through ${through.map((ref) => ref.replace('agents/', '')).join(' ← ')}`}, until{' '}
        <When at={expires_at} />
      </p>
      {who !== undefined && (
        <p>
          {writes.length === 0 ? 'All its tools there only read.' : `It may write there, with ${writes.join(', ')}.`}
        </p>
      )}
      {!is_connected && <Connecting id={id} name={name} />}
      {is_connected && who !== undefined && <Consent id={id} who={who} name={name} />}
      {is_connected && who === undefined && <p>You are connected.</p>}
    </li>
  );
}

function Connecting({ id, name }: { id: string; name: string }) {
  const [hasKey, setKey] = useState(false);
  const begin = useSend('connections.begin');
  // The browser leaves for the sign-in page of the server.
  const leave = () =>
    begin.mutate({ params: { id } }, { onSuccess: ({ answer: { address } }) => location.assign(address) });
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button look="main" disabled={begin.isPending} onClick={leave}>
          Sign in at {name}
        </Button>
        <Button onClick={() => setKey(true)}>With a key…</Button>
      </div>
      {begin.error !== null && <Refusal error={begin.error} />}
      {hasKey && <WithKey id={id} name={name} onClose={() => setKey(false)} />}
    </>
  );
}

function WithKey({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const set = useSend('connections.set_key', { says: () => `You are connected to ${name}` });
  return (
    <FormDialog
      title={`Your key for ${name}`}
      about="It is kept sealed. No agent sees it, and nobody can read it again."
      send="Connect"
      sending={set}
      onSend={({ key = '' }) => set.mutate({ params: { id }, body: { key } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field name="key" label="API key" type="password" autoComplete="off" required />
    </FormDialog>
  );
}

function Consent({ id, who, name }: { id: string; who: string; name: string }) {
  const decide = useSend('connections.decide', {
    changes: ['notifications'],
    says: (_, { body }) =>
      body.decision === 'allow'
        ? `${who} may act in your name at ${name}`
        : `${who} does not act in your name at ${name}`,
  });
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          look="main"
          disabled={decide.isPending}
          onClick={() => decide.mutate({ params: { id }, body: { decision: 'allow' } })}
        >
          Allow
        </Button>
        <Button
          disabled={decide.isPending}
          onClick={() => decide.mutate({ params: { id }, body: { decision: 'refuse' } })}
        >
          Refuse
        </Button>
      </div>
      {decide.error !== null && <Refusal error={decide.error} />}
    </>
  );
}
