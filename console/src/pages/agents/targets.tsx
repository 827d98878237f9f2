// The targets of an agent that runs on several. With one, the head of the page says it all.
import type { AgentTarget } from '@gantry/contract/agents/deploy.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask, send } from '../../server.ts';
import { AgentState } from './agent-state.tsx';

export function Targets({ name }: { name: string }) {
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  const [refused, setRefused] = useState<unknown>();
  if (status === undefined || status.targets.length < 2) return null;
  // The permission is that of a stop.
  const can = status.can?.['agents.stop'];
  const makeDefault = { name, before: status.target ?? '', can, onEnd: setRefused };
  return (
    <Section title="Targets">
      {refused !== undefined && (
        <div className="mb-3">
          <Refusal error={refused} />
        </div>
      )}
      <List
        label="Targets"
        columns={columnsFor(makeDefault)}
        rows={status.targets}
        keyOf={({ target }) => target}
        empty={null}
      />
    </Section>
  );
}

interface MakeDefaultProps {
  name: string;
  /** The present default one. */
  before: string;
  can: Allowed | undefined;
  /** With the refusal, or undefined. */
  onEnd: (error: unknown) => void;
}

function columnsFor(props: MakeDefaultProps): readonly Column<AgentTarget>[] {
  return [
    { header: 'Target', width: 'minmax(0,1fr)', cell: ({ target }) => <TargetLink name={target} /> },
    { header: 'State', width: '100px', cell: ({ state }) => <AgentState state={state} /> },
    { header: 'Version', width: '70px', isExtra: true, cell: ({ version }) => version },
    {
      header: 'New calls',
      width: '110px',
      align: 'right',
      cell: ({ target, is_default }) =>
        is_default ? <span className="pr-3 text-good">default</span> : <MakeDefault {...props} target={target} />,
    },
  ];
}

function MakeDefault({ name, before, target, can, onEnd }: MakeDefaultProps & { target: string }) {
  const params = { name };
  const set = useSend('agents.set_target', {
    changes: ['registry'],
    says: () => `New calls to agents/${name} go to ${target}`,
    undo: async () => await send('agents.set_target', { params, body: { target: before } }),
  });
  return (
    <Action
      look="quiet"
      can={can}
      svc={`svc target default ${name} ${target}`}
      isBusy={set.isPending}
      onPress={() => set.mutate({ params, body: { target } }, { onSettled: (_, error) => onEnd(error ?? undefined) })}
    >
      Make default
    </Action>
  );
}

function TargetLink({ name }: { name: string }) {
  return (
    <Link to="/targets/$name" params={{ name }} className="text-accent">
      {name}
    </Link>
  );
}
