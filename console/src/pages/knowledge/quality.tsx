// The questions of a base, asked on request: how many of the documents that they expect are found, beside the snapshot that serves.
import type { QualityCompared, SearchQuality } from '@gantry/contract/agents/knowledge.ts';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { plural } from '../../parts/figures/figures.ts';
import { State } from '../../parts/figures/state.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';

export function Quality({ name, count, can }: { name: string; count: number; can: Allowed | undefined }) {
  const test = useSend('knowledge.test');
  return (
    <Section title="Quality" aside={`${plural(count, 'question')} in its config`}>
      <Action
        can={can}
        svc={`svc kb test ${name}`}
        isBusy={test.isPending}
        onPress={() => test.mutate({ params: { name }, body: {} })}
      >
        Ask the questions
      </Action>
      {test.error !== null && <Refusal error={test.error} />}
      {test.data !== undefined && <Compared compared={test.data.answer} />}
    </Section>
  );
}

function Compared({ compared: { tested, serving, min_recall } }: { compared: QualityCompared }) {
  const missed = tested.questions.filter(({ recall }) => recall < 1);
  return (
    <div role="status" className="mt-4">
      <List
        label="Quality"
        columns={columnsOf(tested.k)}
        rows={serving === null ? [tested] : [tested, serving]}
        keyOf={({ snapshot }) => String(snapshot)}
        empty={null}
      />
      <p className="mt-2">
        {min_recall !== null && tested.recall < min_recall ? (
          <State meaning="failed">{`The recall is below min_recall, ${min_recall}: this snapshot would not serve`}</State>
        ) : (
          missed.length === 0 && <State meaning="good">Each question finds what it expects</State>
        )}
      </p>
      <ul className="mt-2">
        {missed.map(({ question, expects, found }) => (
          <li key={question}>
            {question}{' '}
            <span className="text-quiet">
              expects {expects.join(', ')}, found {found.join(', ') || 'nothing'}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const columnsOf = (k: number): readonly Column<SearchQuality>[] => [
  { header: 'Snapshot', width: '90px', cell: ({ snapshot }) => `#${snapshot}` },
  { header: 'State', width: '90px', cell: ({ serves }) => serves && <State meaning="good">serves</State> },
  { header: 'Searched by', width: 'minmax(0,1fr)', isExtra: true, cell: ({ by }) => by },
  { header: `Recall@${k}`, width: '90px', align: 'right', cell: ({ recall }) => recall.toFixed(3) },
  { header: 'MRR', width: '80px', align: 'right', cell: ({ mrr }) => mrr.toFixed(3) },
];
