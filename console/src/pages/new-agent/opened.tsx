// A project in this browser: what was found, agent.yaml with its faults where one writes or mends it, and the push.
import { agentJsonSchema, targetOf } from '@gantry/project/agent-yaml.ts';
import { agentChoices, printProposal, proposeConfig } from '@gantry/project/adoption/propose-config.ts';
import { checkProject, filesFromMap } from '@gantry/project/agent-project.ts';
import { applyEdits, type Finding } from '@gantry/project/finding.ts';
import { yamlLimits } from '@gantry/project/read-yaml/limits.ts';
import { useDeferredValue, useMemo, useState } from 'react';
import { useMe } from '../../me.ts';
import { useActiveTeam } from '../../parts/browser/active-team.ts';
import { Button } from '../../parts/action/button.tsx';
import { CodeEditor, type Schema } from '../../parts/code/code.tsx';
import { Findings } from '../../parts/code/findings.tsx';
import { bytes, plural } from '../../parts/figures/figures.ts';
import { Facts, Section } from '../../parts/page/page.tsx';
import { AgentYamlForm } from './agent-yaml-form.tsx';
import type { Dropped } from './dropped-files.ts';
import { DropZone } from './drop-zone.tsx';
import { withAgentYaml, type OpenedProject } from './open-project.ts';
import { Push } from './push.tsx';
import { useWritableTeams } from './writable-teams.ts';

const shown_files = 12;
// The library writes `boolean` schemas too, which have nothing to complete.
const schema = agentJsonSchema() as Schema;

interface OpenedProps {
  project: OpenedProject;
  isReading: boolean;
  onDrop: (read: () => Promise<Dropped>) => void;
}

export function Opened({ project, isReading, onDrop }: OpenedProps) {
  const { left_out } = project;
  const given = useMemo(() => textOf(project), [project]);
  const [first] = useWritableTeams();
  const team = [useActiveTeam(), useMe()?.active_team, first].find((each) => typeof each === 'string') ?? '';
  const [text, setText] = useState(() => given ?? proposal(project, team));
  const [isOpen, setOpen] = useState(() => given === undefined || faultsOf(project.checked.findings).length > 0);
  const [isPushed, setPushed] = useState(false);
  const settled = useDeferredValue(text);
  const { files, checked } = useMemo(() => {
    if (settled === undefined || settled === given) return project;
    const all = withAgentYaml(project, settled);
    return { files: all, checked: checkProject(all) };
  }, [project, given, settled]);
  const { config, deployable, findings } = checked;
  const faults = faultsOf(findings);
  const isEdited = isOpen && text !== undefined && !isPushed;
  const said = findings.length > 0 && (
    <Section title={deployable ? 'Notes' : `${plural(faults.length, 'fault')} to fix before a push`}>
      <Findings
        findings={findings}
        onFix={
          isEdited && text === settled
            ? (finding) => finding.file === 'agent.yaml' && setText(applyEdits(text, [finding]))
            : undefined
        }
      />
    </Section>
  );
  return (
    <>
      {config !== undefined && !isEdited && (
        <Section
          title={`${config.name} ${config.version}`}
          aside={
            !isPushed && text !== undefined ? (
              <Button look="quiet" onClick={() => setOpen(true)}>
                Edit agent.yaml
              </Button>
            ) : undefined
          }
        >
          <Facts
            facts={[
              ['Team', config.team],
              ['Framework', config.framework],
              ['Target', targetOf(config)],
              ['Size', `${plural(files.size, 'file')}, ${sizeOf(files)}`],
            ]}
          />
        </Section>
      )}
      {isEdited ? (
        <Section title={given === undefined ? 'A proposed agent.yaml' : 'agent.yaml'}>
          <p className="mb-3 max-w-prose text-quiet">
            {given === undefined
              ? 'The project has no agent.yaml. This one is proposed from its files. The push adds it and changes no other file.'
              : 'The push takes this text in place of the file. No other file changes.'}
          </p>
          <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,7fr)] items-start gap-x-8 gap-y-5 max-wide:grid-cols-1">
            <AgentYamlForm project={project} text={text} onText={setText} />
            <div className="min-w-0">
              <CodeEditor
                value={text}
                onChange={setText}
                language="yaml"
                label="agent.yaml"
                findings={findings.filter(({ file }) => file === 'agent.yaml')}
                schema={schema}
              />
              <div className="mt-5">{said}</div>
            </div>
          </div>
        </Section>
      ) : (
        said
      )}
      {faults.some(({ file }) => file !== 'agent.yaml') && <DropZone onDrop={onDrop} isReading={isReading} isAgain />}
      {deployable && config !== undefined && <Push files={files} config={config} onPushed={() => setPushed(true)} />}
      {files.size > 0 && (
        <Paths title="Files" paths={[...files].map(([path, { length }]) => ({ path, about: bytes(length) }))} />
      )}
      {left_out.size > 0 && (
        <Paths title="Left out" paths={[...left_out].map(([path, rule]) => ({ path, about: rule.why }))} />
      )}
    </>
  );
}

const faultsOf = (findings: readonly Finding[]) => findings.filter(({ severity }) => severity === 'error');

const sizeOf = (files: ReadonlyMap<string, Uint8Array>): string =>
  bytes([...files.values()].reduce((total, { length }) => total + length, 0));

/** Undefined without agent.yaml, and for one that no editor shows. */
function textOf({ files }: OpenedProject): string | undefined {
  const file = files.get('agent.yaml');
  if (file === undefined || file.length > yamlLimits.characters) return undefined;
  try {
    // The byte order mark stays, so that the places of findings match.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file);
  } catch {
    return undefined;
  }
}

/** Undefined where a limit or a path is at fault, and beside an agent.yaml that is no text. */
function proposal(project: OpenedProject, team: string): string | undefined {
  if (project.files.size === 0 || project.files.has('agent.yaml')) return undefined;
  const files = filesFromMap(project.files);
  const proposed = proposeConfig(files, { folder: project.folder, agent: agentChoices(files)[0] });
  return printProposal(proposed, { team, server: location.origin });
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
