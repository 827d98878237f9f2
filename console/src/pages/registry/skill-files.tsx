import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeView, languageOf } from '../../parts/code/code.tsx';
import { bytes } from '../../parts/figures/figures.ts';
import { Empty, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';

const reasons = {
  binary: 'This is not a text.',
  too_large: 'This text is too large to show.',
} as const;

/** What an agent with the skill reads. */
export function SkillFiles({ name, version }: { name: string; version: string }) {
  const params = { kind: 'skill' as const, name, version };
  const [path, setPath] = useState('SKILL.md');
  const { data: files, error } = useQuery(ask('registry.files', { params }));
  if (error !== null) return <Refusal error={error} />;
  return (
    <Section title={`Files ${version}`}>
      <nav aria-label="Files" className="mb-4 flex flex-col rounded border border-line bg-raised py-1 text-meta">
        {(files ?? []).map((each) => (
          <button
            key={each.path}
            type="button"
            aria-current={each.path === path ? 'page' : undefined}
            onClick={() => setPath(each.path)}
            className="flex min-h-7 items-center gap-3 px-3 text-left hover:bg-hover aria-[current=page]:bg-accent-soft"
          >
            <span className="min-w-0 flex-1 truncate font-mono" title={each.path}>
              {each.path}
            </span>
            <span className="shrink-0 text-quiet">{bytes(each.bytes)}</span>
          </button>
        ))}
      </nav>
      <SkillFile key={path} params={params} path={path} />
    </Section>
  );
}

function SkillFile({ params, path }: { params: { kind: 'skill'; name: string; version: string }; path: string }) {
  const { data, error } = useQuery(ask('registry.show_file', { params, query: { path } }));
  if (error !== null) return <Refusal error={error} />;
  if (data === undefined) return <div className="skeleton h-40" />;
  const { text, no_text } = data;
  if (text === null) return <Empty>{reasons[no_text ?? 'binary']}</Empty>;
  return <CodeView text={text} language={languageOf(path)} label={path} />;
}
