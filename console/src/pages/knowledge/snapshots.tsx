// The snapshots of a knowledge base, and the documents of one of them.
import type { KnowledgeDocument, KnowledgeSnapshot } from '@gantry/contract/agents/knowledge.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { bytes } from '../../parts/figures/figures.ts';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask, askList, send } from '../../server.ts';

export function Snapshots({ name, can }: { name: string; can: Allowed | undefined }) {
  const snapshots = useInfiniteQuery(askList('knowledge.snapshots', { params: { name }, query: { limit: 200 } }));
  const serving = snapshots.data?.pages.flatMap(({ items }) => items).find(({ serves }) => serves)?.number;
  const [chosen, setChosen] = useState<number>();
  const shown = chosen ?? serving;
  const serve = useSend('knowledge.serve', {
    says: ({ number }) => `Snapshot ${number} of ${name} serves`,
    ...(serving !== undefined && {
      undo: async () => await send('knowledge.serve', { params: { name, number: serving } }),
    }),
  });
  return (
    <>
      <Section title="Snapshots" aside="one of them serves">
        {serve.error !== null && <Refusal error={serve.error} />}
        <List
          label="Snapshots"
          columns={columnsWith({
            name,
            can,
            isBusy: serve.isPending,
            onShow: setChosen,
            onServe: (number) => serve.mutate({ params: { name, number } }),
          })}
          keyOf={({ number }) => String(number)}
          {...pagesOf(snapshots)}
          empty={<Empty>It has no snapshot yet. Refresh it.</Empty>}
        />
      </Section>
      {shown !== undefined && <Documents name={name} number={shown} />}
    </>
  );
}

interface Choices {
  name: string;
  can: Allowed | undefined;
  isBusy: boolean;
  onShow: (number: number) => void;
  onServe: (number: number) => void;
}

const columnsWith = ({ name, can, isBusy, onShow, onServe }: Choices): readonly Column<KnowledgeSnapshot>[] => [
  {
    header: 'Snapshot',
    width: '90px',
    cell: ({ number }) => (
      <Button look="quiet" onClick={() => onShow(number)}>
        {`#${number}`}
      </Button>
    ),
  },
  { header: 'State', width: '90px', cell: ({ serves }) => serves && <State meaning="good">serves</State> },
  { header: 'Documents', width: '90px', isExtra: true, align: 'right', cell: ({ documents }) => documents ?? '–' },
  { header: 'Not read', width: '80px', isExtra: true, align: 'right', cell: ({ failures }) => failures ?? '–' },
  {
    header: 'Difference',
    width: 'minmax(0,1.8fr)',
    isExtra: true,
    cell: ({ added, changed, removed }) =>
      added === null ? '–' : `${added} added, ${changed ?? 0} changed, ${removed ?? 0} gone`,
  },
  { header: 'Config', width: '70px', isExtra: true, cell: ({ version }) => version },
  { header: 'By', width: 'minmax(0,1fr)', isExtra: true, cell: ({ made_by }) => made_by },
  { header: 'Made', width: '100px', isExtra: true, cell: ({ made_at }) => <When at={made_at} /> },
  {
    header: 'Action',
    width: '110px',
    align: 'right',
    cell: ({ number, serves }) =>
      !serves && (
        <Action
          can={can}
          svc={`svc kb serve ${name} ${number}`}
          look="quiet"
          isBusy={isBusy}
          onPress={() => onServe(number)}
        >
          Let it serve
        </Action>
      ),
  },
];

function Documents({ name, number }: { name: string; number: number }) {
  const { data: snapshot, error } = useQuery(ask('knowledge.snapshot', { params: { name, number } }));
  return (
    <Section title={`Documents of snapshot ${number}`} aside={`that you may read${atCommit(snapshot?.commit ?? null)}`}>
      {error !== null && <Refusal error={error} />}
      <List
        label="Documents"
        columns={columns}
        rows={snapshot?.listed}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: '/knowledge/$name/documents/$document',
          params: { name, document: id },
        })}
        empty={<Empty>It has no document that you may read.</Empty>}
      />
      <ul className="mt-2">
        {snapshot?.unreadable.map(({ path, problem }) => (
          <li key={path}>
            <State meaning="failed">not read</State> {path}: {problem}
          </li>
        ))}
        {snapshot?.gone.map((path) => (
          <li key={path} className="text-quiet">
            gone: {path}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const atCommit = (commit: string | null) => (commit === null ? '' : `, at commit ${commit.slice(0, 12)}`);

const columns: readonly Column<KnowledgeDocument>[] = [
  { header: 'Path', width: 'minmax(0,1.4fr)', cell: ({ path }) => path },
  { header: 'Title', width: 'minmax(0,1fr)', isExtra: true, cell: ({ title }) => title },
  { header: 'Size', width: '90px', isExtra: true, align: 'right', cell: (one) => bytes(one.bytes) },
  { header: 'Readers', width: '80px', isExtra: true, cell: ({ has_readers }) => (has_readers ? 'some' : 'all') },
  {
    header: 'Change',
    width: '90px',
    cell: ({ change }) => (change === 'same' ? '' : <State meaning="waiting">{change}</State>),
  },
];
