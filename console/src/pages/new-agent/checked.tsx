import { useState } from 'react';
import { targetOf } from '@gantry/contract/agent-yaml.ts';
import { bytes, plural } from '../../parts/figures.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { Findings } from './findings.tsx';
import type { OpenedProject } from './open-project.ts';
import { Push } from './push.tsx';

const shown_files = 12;

/** What was found in the browser, and the way on. */
export function Checked({ project }: { project: OpenedProject }) {
  const { files, left_out, checked } = project;
  const { config, deployable, findings } = checked;
  const faults = findings.filter(({ severity }) => severity === 'error').length;
  const size = [...files.values()].reduce((total, { length }) => total + length, 0);
  return (
    <>
      {config !== undefined && (
        <Section title={`${config.name} ${config.version}`} aside={deployable ? 'checked in this browser' : undefined}>
          <Facts
            facts={[
              ['Team', config.team],
              ['Framework', config.framework],
              ['Target', targetOf(config)],
              ['Size', `${plural(files.size, 'file')}, ${bytes(size)}`],
            ]}
          />
        </Section>
      )}
      {findings.length > 0 && (
        <Section title={deployable ? 'Notes' : `${plural(faults, 'fault')} to fix before a push`}>
          <Findings findings={findings} />
        </Section>
      )}
      {deployable && config !== undefined && <Push files={files} config={config} />}
      {files.size > 0 && (
        <Paths title="Files" paths={[...files].map(([path, { length }]) => ({ path, about: bytes(length) }))} />
      )}
      {left_out.size > 0 && (
        <Paths title="Left out" paths={[...left_out].map(([path, rule]) => ({ path, about: rule.why }))} />
      )}
    </>
  );
}

function Paths({ title, paths }: { title: string; paths: readonly { path: string; about: string }[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? paths : paths.slice(0, shown_files);
  return (
    <Section title={title} aside={paths.length}>
      <ul className="rounded border border-line bg-raised text-meta">
        {shown.map(({ path, about }) => (
          <li key={path} className="flex min-h-8 items-center gap-4 border-b border-line px-3 py-1 last:border-b-0">
            <span className="min-w-0 flex-1 truncate font-mono" title={path}>
              {path}
            </span>
            <span className="shrink-0 text-quiet max-phone:max-w-1/2 max-phone:truncate">{about}</span>
          </li>
        ))}
        {shown.length < paths.length && (
          <li className="px-3 py-1">
            <button type="button" className="min-h-6 text-accent" onClick={() => setWhole(true)}>
              Show all {paths.length}
            </button>
          </li>
        )}
      </ul>
    </Section>
  );
}
