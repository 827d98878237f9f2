import { agentJsonSchema, parseAgentYaml } from '@gantry/project/agent-yaml.ts';
import { applyEdits, type Finding } from '@gantry/project/finding.ts';
import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useMemo, useState } from 'react';
import { Button } from '../../../parts/action/button.tsx';
import { CodeEditor, type Schema } from '../../../parts/code/code.tsx';
import { Findings } from '../../../parts/code/findings.tsx';
import { useDraft } from '../../../parts/form/draft.ts';
import { plural } from '../../../parts/figures/figures.ts';
import { State } from '../../../parts/figures/state.tsx';
import { NewVersion } from './new-version.tsx';

// The library writes `boolean` schemas too, which have nothing to complete.
const schema = agentJsonSchema() as Schema;

interface AgentYamlEditorProps {
  asset: AssetDetail;
  /** Whose agent.yaml it is. */
  version: string;
  text: string;
}

/** The rules are those of `svc validate` and of the push. */
export function AgentYamlEditor({ asset, version, text }: AgentYamlEditorProps) {
  const [draft, setDraft] = useDraft(`${asset.name}@${version}`, text);
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
        {isChanged && <span className="text-meta text-quiet">A draft, kept while this tab is open.</span>}
        <div className="ml-auto flex items-center gap-2">
          {isChanged && (
            <Button look="quiet" onClick={() => setDraft(text)}>
              Take back
            </Button>
          )}
          <Button
            disabled={!isChanged || findings.some(({ severity }) => severity === 'error')}
            focusableWhenDisabled
            onClick={() => setMaking(true)}
          >
            New version…
          </Button>
        </div>
      </div>
      {findings.length > 0 && (
        <Findings findings={findings} onFix={(finding) => setDraft(applyEdits(draft, [finding]))} />
      )}
      {isMaking && (
        <NewVersion
          asset={asset}
          version={version}
          text={text}
          draft={draft}
          onPushed={() => setDraft(text)}
          onClose={() => setMaking(false)}
        />
      )}
    </div>
  );
}

function Verdict({ findings }: { findings: readonly Finding[] }) {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) return <State meaning="failed">{plural(errors, 'error')}</State>;
  if (findings.length > 0) return <State meaning="waiting">{`valid, with ${plural(findings.length, 'notice')}`}</State>;
  return <State meaning="good">valid</State>;
}
