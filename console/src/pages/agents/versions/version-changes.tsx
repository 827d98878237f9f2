// Every change between two versions of an agent: what it may newly reach, its settings, its packages, its files.
import type { Difference } from '@gantry/contract/assets/difference.ts';
import { Difference as TwoTexts } from '../../../parts/code/code.tsx';
import { bytes, count } from '../../../parts/figures/figures.ts';
import { Empty, Section } from '../../../parts/page/page.tsx';
import { ReachLines } from '../../approvals/reach-lines.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { ChangeTable } from '../../approvals/change-table.tsx';
import { packageRows } from '../../approvals/package-rows.ts';
import { signs } from '../../approvals/signs.ts';
import { ToolTexts } from '../../approvals/tool-texts.tsx';
import { useVersionText } from '../../approvals/version-text.ts';

interface Versions {
  name: string;
  from: string;
  to: string;
}

export function VersionChanges({ changes, ...versions }: Versions & { changes: Difference }) {
  const { config, files } = changes;
  const reach = changes.reach.filter(({ change }) => change !== 'same');
  const packages = packageRows(changes);
  if (config.length + files.length + packages.length + reach.length + changes.tools.length === 0)
    return <Empty>These two versions have the same config, files, packages and access.</Empty>;
  return (
    <>
      {reach.length > 0 && (
        <Section title="What it may reach">
          <ReachLines reach={reach} />
        </Section>
      )}
      {changes.tools.length > 0 && (
        <Section title="Tools" aside={count(changes.tools.length)}>
          <ToolTexts tools={changes.tools} />
        </Section>
      )}
      {config.length > 0 && (
        <Section title="Config" aside={count(config.length)}>
          <ChangeTable
            of="Setting"
            rows={config.map(({ path, before, after }) => ({ name: path, before: print(before), after: print(after) }))}
            empty={null}
          />
        </Section>
      )}
      {packages.length > 0 && (
        <Section title="Packages" aside={count(packages.length)}>
          <ChangeTable of="Package" rows={packages} empty={null} />
        </Section>
      )}
      {files.length > 0 && (
        <Section title="Files" aside={count(files.length)}>
          {files.map((file) => (
            <ChangedFile key={file.path} file={file} {...versions} />
          ))}
        </Section>
      )}
    </>
  );
}

const reasons = {
  not_permitted: 'The text of a file is for people who may write this agent.',
  binary: 'This is not a text.',
  too_large: 'This change is too large to show.',
} as const;

function ChangedFile({ file, ...versions }: Versions & { file: Difference['files'][number] }) {
  const { path, change, before_bytes, after_bytes, no_diff } = file;
  const { sign, look, word } = signs[change];
  return (
    <section aria-label={path} className="mb-4 overflow-hidden rounded border border-line bg-raised">
      <h3 className="flex h-9 items-center gap-2 px-3 font-mono text-meta">
        <span className={look} title={word}>
          {sign}
          <span className="sr-only">{word}</span>
        </span>
        <span className="min-w-0 truncate">{path}</span>
        <span className="ml-auto shrink-0 font-sans font-normal text-quiet">
          {[before_bytes, after_bytes].flatMap((size) => (size === null ? [] : bytes(size))).join(' → ')}
        </span>
      </h3>
      <div className="border-t border-line [&>div]:rounded-none [&>div]:border-0">
        {no_diff === null ? (
          <FileTexts {...versions} path={path} change={change} />
        ) : (
          <p className="px-3 py-2.5 text-quiet">{reasons[no_diff]}</p>
        )}
      </div>
    </section>
  );
}

function FileTexts({ name, from, to, path, change }: Versions & Pick<Difference['files'][number], 'path' | 'change'>) {
  const before = useVersionText(change === 'added' ? null : `agents/${name}@${from}`, path);
  const after = useVersionText(change === 'removed' ? null : `agents/${name}@${to}`, path);
  const error = before.error ?? after.error;
  if (error !== null) return <Refusal error={error} />;
  if (before.data === undefined || after.data === undefined) return <div className="skeleton m-3 h-40" />;
  return <TwoTexts before={before.data} after={after.data} path={path} />;
}

function print(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
