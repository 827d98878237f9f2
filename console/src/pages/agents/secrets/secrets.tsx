import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../../../parts/action/action.tsx';
import { List, type Column } from '../../../parts/list/list.tsx';
import { Empty, Section } from '../../../parts/page/page.tsx';
import { State } from '../../../parts/figures/state.tsx';
import { When } from '../../../parts/figures/when.tsx';
import { ask } from '../../../server.ts';
import { AgentPage } from '../agent-page.tsx';
import { RemoveSecret, SetSecret } from './secret-dialogs.tsx';
import { useSecretsOf, type SecretRow } from './use-secrets-of.ts';

const route = getRouteApi('/agents/$name/secrets');

export function SecretsPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="secrets">
      <Secrets name={name} />
    </AgentPage>
  );
}

type Open = { dialog: 'set'; name?: string } | { dialog: 'remove'; row: SecretRow };

function Secrets({ name }: { name: string }) {
  const { rows, error } = useSecretsOf(name);
  const asset = useQuery(ask('registry.show', { params: { kind: 'agent', name } }));
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const can = asset.data?.can;
  const columns = columnsFor(name, asset.data?.can, setOpen);
  const missing = rows?.filter(({ state, isNeededNow }) => state === 'missing' && isNeededNow) ?? [];
  return (
    <Section
      title="Secrets"
      aside={
        <Action
          can={can?.['secrets.set']}
          svc={`svc secret set <NAME> --agent ${name}`}
          onPress={() => setOpen({ dialog: 'set' })}
        >
          Set a secret…
        </Action>
      }
    >
      {missing.length > 0 && (
        <p className="mb-3 rounded border border-line bg-failed-soft px-3 py-2 text-failed">
          The running version needs {missing.map((row) => row.name).join(', ')}. It does not start again without it.
        </p>
      )}
      <List
        label="Secrets"
        columns={columns}
        rows={rows}
        error={error}
        keyOf={(row) => row.name}
        empty={
          <Empty>
            It has no secrets. Name one in <span className="font-mono">deploy.secrets</span> of agent.yaml, and set its
            value here: the container gets it as a variable.
          </Empty>
        }
      />
      <p className="mt-2 text-meta text-quiet">
        Nobody can read a value. A secret of the agent replaces one of its team with the same name.
      </p>
      {open?.dialog === 'set' && asset.data !== undefined && (
        <SetSecret agent={name} team={asset.data.team} name={open.name} onClose={close} />
      )}
      {open?.dialog === 'remove' && open.row.secret !== undefined && (
        <RemoveSecret secret={open.row.secret} onClose={close} />
      )}
    </Section>
  );
}

function columnsFor(
  name: string,
  can: AssetDetail['can'] | undefined,
  onOpen: (open: Open) => void,
): readonly Column<SecretRow>[] {
  return [
    { header: 'Name', width: 'minmax(0,2fr)', cell: (row) => <Name row={row} /> },
    { header: 'Value', width: '110px', isExtra: true, cell: (row) => <Value row={row} /> },
    { header: 'Belongs to', width: 'minmax(0,1fr)', isExtra: true, cell: ({ secret }) => ownerOf(secret) },
    { header: 'Set', width: '90px', isExtra: true, cell: ({ secret }) => <When at={secret?.changed_at} /> },
    { header: 'By', width: 'minmax(0,1fr)', isExtra: true, cell: ({ secret }) => secret?.changed_by ?? '–' },
    {
      header: 'Needed by',
      width: '130px',
      isExtra: true,
      cell: ({ needed_by }) => (needed_by.length === 0 ? 'no version' : needed_by.join(', ')),
    },
    {
      header: 'Change',
      width: '180px',
      align: 'right',
      cell: (row) => (
        <span className="inline-flex">
          <Action
            look="quiet"
            can={can?.['secrets.set']}
            svc={`svc secret set ${row.name} --agent ${name}`}
            onPress={() => onOpen({ dialog: 'set', name: row.name })}
          >
            {row.secret === undefined ? 'Set…' : 'Replace…'}
          </Action>
          {row.secret?.agent === name && (
            <Action
              look="quiet"
              can={can?.['secrets.remove']}
              svc={`svc secret remove ${row.name} --agent ${name}`}
              onPress={() => onOpen({ dialog: 'remove', row })}
            >
              Remove…
            </Action>
          )}
        </span>
      ),
    },
  ];
}

function Name({ row }: { row: SecretRow }) {
  return (
    <>
      <span className="font-mono">{row.name}</span>{' '}
      <span className="phone:hidden">
        <Value row={row} />
      </span>
    </>
  );
}

function Value({ row: { state } }: { row: SecretRow }) {
  if (state === 'missing') return <State meaning="failed">missing</State>;
  return state === 'set' ? <State meaning="good">set</State> : <State meaning="none">not visible</State>;
}

function ownerOf(secret: SecretRow['secret']): string {
  if (secret === undefined) return '–';
  return secret.agent === null ? `team ${secret.team}` : 'this agent';
}
