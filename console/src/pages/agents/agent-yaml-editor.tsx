import '../new-agent/zod-without-eval.ts';
import { agentJsonSchema, bumpVersion, parseAgentYaml } from '@gantry/contract/agent-yaml.ts';
import type { Finding } from '@gantry/contract/finding.ts';
import type { AssetDetail } from '@gantry/contract/registry.ts';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CodeEditor, Difference, type Schema } from '../../parts/code/code.tsx';
import { Copy, SvcLine } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { plural } from '../../parts/figures.ts';
import { State } from '../../parts/state.tsx';

// The library writes `boolean` schemas too, which have nothing to complete.
const schema = agentJsonSchema() as Schema;

interface AgentYamlEditorProps {
  asset: AssetDetail;
  text: string;
}

/** The rules are those of `svc validate` and of the push. */
export function AgentYamlEditor({ asset, text }: AgentYamlEditorProps) {
  const [draft, setDraft] = useState(text);
  const [isMaking, setMaking] = useState(false);
  const { findings } = useMemo(() => parseAgentYaml(draft), [draft]);
  const isChanged = draft !== text;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <CodeEditor
        value={draft}
        onChange={setDraft}
        language="yaml"
        label="agent.yaml"
        findings={findings}
        schema={schema}
      />
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
        <Verdict findings={findings} />
        <div className="ml-auto flex items-center gap-2">
          {isChanged && (
            <Button look="quiet" onClick={() => setDraft(text)}>
              Take back
            </Button>
          )}
          <Button disabled={!isChanged} focusableWhenDisabled onClick={() => setMaking(true)}>
            New version…
          </Button>
        </div>
      </div>
      <Findings findings={findings} />
      {isMaking && <NewVersion asset={asset} text={text} draft={draft} onClose={() => setMaking(false)} />}
    </div>
  );
}

function Verdict({ findings }: { findings: readonly Finding[] }) {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) return <State meaning="failed">{plural(errors, 'error')}</State>;
  if (findings.length > 0) return <State meaning="waiting">{`valid, with ${plural(findings.length, 'notice')}`}</State>;
  return <State meaning="good">valid</State>;
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul aria-label="Findings" className="flex flex-col gap-1 text-meta">
      {findings.map(({ code, line, column, message, suggestion }) => (
        <li key={`${line} ${column} ${code} ${message}`} className="flex gap-3">
          <span className="w-16 shrink-0 text-quiet">line {line}</span>
          <span className="min-w-0">
            {message} {suggestion !== undefined && <span className="text-quiet">{suggestion}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface NewVersionProps {
  asset: AssetDetail;
  text: string;
  draft: string;
  onClose: () => void;
}

/** A version is made of a whole project, so the draft goes into the project's folder. */
function NewVersion({ asset: { name, versions }, text, draft, onClose }: NewVersionProps) {
  const next = withFreeVersion(
    draft,
    versions.map(({ version }) => version),
  );
  return (
    <Dialog
      title={`A new version of ${name}`}
      about="A version is made of the whole project: its files, its packages and this config. It is pushed from the folder of the project."
      isOpen
      onClose={onClose}
      wide
    >
      <div className="flex flex-col gap-4">
        <Difference before={text} after={next} path="agent.yaml" />
        <ol className="flex list-decimal flex-col gap-1.5 pl-5">
          <li>
            <Copy text={next} label="the new agent.yaml">
              Copy the new agent.yaml
            </Copy>{' '}
            into the folder of {name}.
          </li>
          <li>
            Push it, and request its approval: <SvcLine line={'svc submit --message "…"'} />
          </li>
        </ol>
      </div>
    </Dialog>
  );
}

/** A version that exists may be final, so the draft takes the next free number. */
function withFreeVersion(draft: string, taken: readonly string[]): string {
  let text = draft;
  let version = parseAgentYaml(draft).config?.version;
  while (version !== undefined && taken.includes(version)) {
    const bumped = bumpVersion(text, 'patch');
    [text, version] = [bumped?.text ?? text, bumped?.version];
  }
  return text;
}
