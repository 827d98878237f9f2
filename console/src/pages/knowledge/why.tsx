// Why a search finds what it finds, for those who may change the base: each rank and score, and what rights take out. It shows no text of a document.
import type { ExplainedPassage, ExplainedSearch } from '@gantry/contract/agents/knowledge.ts';
import { useSend } from '../../parts/action/use-send.ts';
import { Field, Form } from '../../parts/form/form.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Empty } from '../../parts/page/page.tsx';
import type { Searched } from './search-it.tsx';

export function Why({ kind, name, query }: Searched & { query: string }) {
  const words = useSend('knowledge.why');
  const meaning = useSend('knowledge.why_index');
  const { mutate, data, error, isPending } = kind === 'rag-index' ? meaning : words;
  return (
    <div className="mt-4">
      <Form
        error={error}
        isSending={isPending}
        send="Show why"
        look="plain"
        onSend={({ for: person = '' }) =>
          mutate({ params: { name }, body: { query, for: person === '' ? undefined : person } })
        }
      >
        <Field name="for" label="Why, for whom" placeholder="user:bob@example.com" help="Empty: for you." />
      </Form>
      {data !== undefined && <Explained explained={data.answer} />}
    </div>
  );
}

function Explained({ explained: { of, passages, taken_out, notices } }: { explained: ExplainedSearch }) {
  return (
    <div role="status" className="mt-4 flex flex-col gap-4">
      {notices.map((notice) => (
        <p key={notice} className="rounded border border-line bg-raised px-3 py-2">
          {notice}
        </p>
      ))}
      <Ranks label={`Found for ${of}`} passages={passages} />
      {taken_out.length > 0 && <Ranks label="Taken out by rights" passages={taken_out} />}
    </div>
  );
}

function Ranks({ label, passages }: { label: string; passages: readonly ExplainedPassage[] }) {
  return (
    <div>
      <h3 className="mb-2 font-strong">{label}</h3>
      <List
        label={label}
        columns={columns}
        rows={passages}
        keyOf={({ document, start }) => `${document} ${start}`}
        empty={<Empty>Nothing was found.</Empty>}
      />
    </div>
  );
}

const standing = (one: ExplainedPassage['words']) => (one === null ? '–' : `${one.rank} (${one.score.toFixed(3)})`);

const columns: readonly Column<ExplainedPassage>[] = [
  { header: 'Document', width: 'minmax(0,2fr)', cell: ({ path, headings }) => [path, ...headings].join(' › ') },
  { header: 'By words', width: '100px', isExtra: true, align: 'right', cell: ({ words }) => standing(words) },
  { header: 'By meaning', width: '100px', isExtra: true, align: 'right', cell: ({ meaning }) => standing(meaning) },
  { header: 'Together', width: '90px', align: 'right', cell: ({ score }) => score.toFixed(4) },
  { header: 'Reranked', width: '100px', isExtra: true, align: 'right', cell: ({ reranked }) => standing(reranked) },
];
