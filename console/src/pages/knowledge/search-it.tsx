// A search as the reader: they see what an agent would find for them, and no more.
import type { FoundPassages, Passage } from '@gantry/contract/agents/knowledge.ts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Allowed } from '../../parts/action/action.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { Form, Field } from '../../parts/form/form.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { Why } from './why.tsx';

export interface Searched {
  kind: 'knowledge-base' | 'rag-index';
  name: string;
}

/** `can`: may they change it, and so see why something is found. */
export function SearchIt({ kind, name, can }: Searched & { can: Allowed | undefined }) {
  const words = useSend('knowledge.search');
  const meaning = useSend('knowledge.search_index');
  const [asked, setAsked] = useState('');
  const { mutate, data, error, isPending } = kind === 'rag-index' ? meaning : words;
  return (
    <Section title="Search" aside="as you: with your rights">
      <Form
        error={error}
        isSending={isPending}
        send="Search"
        onSend={({ query = '' }) => {
          setAsked(query);
          mutate({ params: { name }, body: { query } });
        }}
      >
        <Field name="query" label="A question, or words" required maxLength={2000} />
      </Form>
      {data !== undefined && <Found found={data.answer} />}
      {data !== undefined && can?.allowed === true && <Why key={asked} kind={kind} name={name} query={asked} />}
    </Section>
  );
}

function Found({ found: { passages, searched, notices } }: { found: FoundPassages }) {
  return (
    <div role="status" className="mt-4">
      <p className="mb-2 text-meta text-quiet">
        {searched.map(({ base, snapshot }) => `${base}, snapshot ${snapshot}`).join(' · ')}
      </p>
      {notices.map((notice) => (
        <p key={notice} className="mb-2 rounded border border-line bg-raised px-3 py-2">
          {notice}
        </p>
      ))}
      {passages.length === 0 && <Empty>Nothing that you may read was found.</Empty>}
      <ol className="flex flex-col gap-3">
        {passages.map((one) => (
          <FoundPassage key={`${one.document} ${one.start}`} passage={one} />
        ))}
      </ol>
    </div>
  );
}

function FoundPassage({ passage: { title, headings, text, base, document, start, end } }: { passage: Passage }) {
  const name = base.slice(base.indexOf('/') + 1);
  return (
    <li className="max-w-[800px] rounded border border-line bg-raised px-3 py-2.5">
      <Link
        to="/knowledge/$name/documents/$document"
        params={{ name, document }}
        search={{ start: String(start), end: String(end) }}
        className="text-accent font-strong"
      >
        {[title, ...headings].join(' › ')}
      </Link>
      <p className="mt-1 whitespace-pre-wrap break-words">{text}</p>
    </li>
  );
}
