// The access-control entries of an asset. A change of them can be undone.
import type { Permission } from '@gantry/contract/people/permissions.ts';
import { printGrantee, printRef, type AssetRef } from '@gantry/contract/refs.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action, type Allowed } from '../../../parts/action/action.tsx';
import { List, pagesOf, type Column } from '../../../parts/list/list.tsx';
import { Empty, Section } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { useSend } from '../../../parts/action/use-send.ts';
import { ask, askList, send } from '../../../server.ts';
import { GrantDialog } from './grant-dialog.tsx';

export function AccessEntries({ of }: { of: AssetRef }) {
  const [isGranting, setGranting] = useState(false);
  const asset = useQuery(ask('registry.show', { params: of }));
  const entries = useInfiniteQuery(
    askList('permissions.list', { query: { resource_type: of.kind, resource_id: of.name, limit: 200 } }),
  );
  const [refused, setRefused] = useState<unknown>();
  const can = asset.data?.can;
  const columns = columnsFor(of, can?.['permissions.revoke'], setRefused);
  return (
    <Section
      title="Entries"
      aside={
        <Action
          can={can?.['permissions.grant']}
          svc={`svc acl grant --asset ${printRef(of)} --principal team:<name> --actions use`}
          onPress={() => setGranting(true)}
        >
          Grant…
        </Action>
      }
    >
      {refused !== undefined && (
        <div className="mb-3">
          <Refusal error={refused} />
        </div>
      )}
      <List
        label="Entries"
        columns={columns}
        keyOf={({ id }) => id}
        wraps
        {...pagesOf(entries)}
        empty={<Empty>Nobody has an entry. Platform admins can still do everything.</Empty>}
      />
      <p className="mt-2 text-meta text-quiet">
        An entry gives an action to those whose role allows it. The role comes from the team {asset.data?.team ?? ''}{' '}
        and from the organisation.
      </p>
      {isGranting && <GrantDialog of={of} onClose={() => setGranting(false)} />}
    </Section>
  );
}

function columnsFor(
  of: AssetRef,
  can: Allowed | undefined,
  onRefused: (error: unknown) => void,
): readonly Column<Permission>[] {
  return [
    { header: 'Who', width: 'minmax(0,1fr)', cell: (entry) => <Who entry={entry} /> },
    { header: 'May', width: 'minmax(0,1fr)', isExtra: true, cell: ({ actions }) => actions.join(', ') },
    {
      header: 'Change',
      width: '76px',
      align: 'right',
      cell: (entry) => <Revoke of={of} entry={entry} can={can} onRefused={onRefused} />,
    },
  ];
}

function Who({ entry }: { entry: Permission }) {
  return (
    <>
      <span className="break-words">{whoOf(entry)}</span>
      <span className="block text-quiet phone:hidden">{entry.actions.join(', ')}</span>
    </>
  );
}

function whoOf(entry: Permission): string {
  return entry.principal_type === 'org' ? 'the whole organisation' : printGrantee(entry);
}

interface RevokeProps {
  of: AssetRef;
  entry: Permission;
  can: Allowed | undefined;
  onRefused: (error: unknown) => void;
}

function Revoke({ of, entry, can, onRefused }: RevokeProps) {
  const { id, principal_type, principal_id, actions } = entry;
  const revoke = useSend('permissions.revoke', {
    changes: ['registry', 'agents'],
    says: () => `${whoOf(entry)} may no longer ${actions.join(', ')} ${printRef(of)} by an entry`,
    undo: async () =>
      await send('permissions.grant', {
        body: { resource_type: of.kind, resource_id: of.name, principal_type, principal_id, actions },
      }),
  });
  return (
    <Action
      look="quiet"
      can={can}
      svc={`svc acl revoke --asset ${printRef(of)} --principal ${printGrantee(entry)}`}
      isBusy={revoke.isPending}
      onPress={() => revoke.mutate({ params: { id }, query: {} }, { onError: onRefused })}
    >
      Revoke
    </Action>
  );
}
