// The playground of a prompt: two texts or two models side by side, on the same values. What runs here is paid by the team of the prompt.
import type { PromptLabel } from '@gantry/contract/agents/prompts.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../../../parts/action/action.tsx';
import { Button } from '../../../parts/action/button.tsx';
import { useShortcuts } from '../../../parts/keys.ts';
import { Page } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { ask } from '../../../server.ts';
import type { AssetDetail } from '../asset-actions.tsx';
import { Difference, Next, NoModels } from './notices.tsx';
import { defaultOf } from './prompt-text.ts';
import { SaveExample } from './save-example.tsx';
import { SaveVersion } from './save-version.tsx';
import { SideOf } from './side.tsx';
import { useSide, type Side } from './use-side.ts';
import { Values } from './values.tsx';

const route = getRouteApi('/registry/prompt/$name/playground');

export function PlaygroundPage() {
  const { name } = route.useParams();
  const { data: asset, error } = useQuery(ask('registry.show', { params: { kind: 'prompt', name } }));
  const { data: labels, error: no_labels } = useQuery(ask('prompts.labels', { params: { name } }));
  const failed = error ?? no_labels;
  if (asset !== undefined && labels !== undefined && asset.latest_version !== null)
    return <Playground key={name} asset={asset} labels={labels} latest={asset.latest_version} />;
  return (
    <Page title="Playground" above={above(name)}>
      {failed !== null ? <Refusal error={failed} /> : <div className="skeleton h-80" />}
    </Page>
  );
}

const above = (name: string) => [
  { label: 'Registry', link: { to: '/registry' } as const },
  { label: name, link: { to: '/registry/$kind/$name', params: { kind: 'prompt', name } } as const },
];

interface PlaygroundProps {
  asset: AssetDetail;
  labels: readonly PromptLabel[];
  latest: string;
}

function Playground({ asset, labels, latest }: PlaygroundProps) {
  const { name, can, versions } = asset;
  const { data: catalogue } = useQuery(ask('models.list', { query: { limit: 200 } }));
  const { data: examples } = useQuery(ask('prompts.examples', { params: { name }, query: { limit: 100 } }));
  const models = catalogue?.items.filter(({ type }) => type === 'chat').map((one) => one.name);
  const production = labels.find(({ label }) => label === 'production');
  const left = useSide({ name, labels, first: latest, model: models?.[0] });
  const right = useSide({ name, labels, first: latest, model: models?.[1] ?? models?.[0] });
  const sides = [left, right] as const;
  const [values, setValues] = useState<Record<string, string>>({});
  const [example, setExample] = useState('');
  const [max_tokens, setMaxTokens] = useState('');
  const [temperature, setTemperature] = useState('');
  const [isCompared, setCompared] = useState(false);
  const [saving, setSaving] = useState<Side | 'example'>();
  const [saved, setSaved] = useState<string>();
  const stored = examples?.items ?? [];
  const isRunning = sides.some(({ trial }) => trial.state === 'running');
  const sampling = {
    ...(max_tokens !== '' && { max_tokens: Number(max_tokens) }),
    ...(temperature !== '' && { temperature: Number(temperature) }),
  };
  const canRun = can['registry.edit'];
  const run = () => {
    if (canRun?.allowed === true && !isRunning) for (const side of sides) void side.run(values, sampling);
  };
  useShortcuts({ 'mod+enter': run });
  const choose = (of: string) => {
    setExample(of);
    const found = stored.find((one) => one.name === of);
    if (found !== undefined) setValues(found.variables);
  };
  return (
    <Page
      title="Playground"
      wide
      stays
      above={above(name)}
      about={`${name} on two models, or two of its texts, with the same values. Its team pays. Ctrl+Enter runs both.`}
      svc={`svc prompt try ${name} --model ${left.model ?? '<model>'}`}
      actions={
        <>
          <Action
            can={
              production === undefined ? { allowed: false, reason: 'No label of it is named production.' } : readable
            }
            svc={`svc prompt try ${name} --against production --model ${left.model ?? '<model>'}`}
            onPress={() => {
              right.choose('production');
              if (left.model !== undefined) right.pickModel(left.model);
              setCompared(true);
            }}
          >
            Compare with production
          </Action>
          {isRunning ? (
            <Button look="danger" onClick={() => sides.forEach((side) => side.stop())}>
              Stop
            </Button>
          ) : (
            <Action
              can={canRun}
              svc={`svc prompt try ${name} --model ${left.model ?? '<model>'}`}
              look="main"
              onPress={run}
            >
              Run
            </Action>
          )}
        </>
      }
    >
      {models?.length === 0 && <NoModels />}
      <Values
        name={name}
        variables={[...new Set(sides.flatMap(({ variables }) => variables))]}
        defaultOf={(variable) => defaultOf(left.config, variable) ?? defaultOf(right.config, variable)}
        values={values}
        onChange={(changed) => {
          setExample('');
          setValues(changed);
        }}
        examples={stored}
        example={example}
        onExample={choose}
        max_tokens={max_tokens}
        onMaxTokens={setMaxTokens}
        temperature={temperature}
        onTemperature={setTemperature}
        can={canRun}
        onSave={() => setSaving('example')}
      />
      {saved !== undefined && <Next name={name} version={saved} />}
      <div className="mb-6 grid grid-cols-2 items-start gap-4 max-wide:grid-cols-1">
        {sides.map((side, at) => (
          <SideOf
            key={at}
            name={name}
            title={at === 0 ? 'A' : 'B'}
            side={side}
            versions={versions.map(({ version }) => version)}
            labels={labels}
            models={models}
            can={canRun}
            onSave={() => setSaving(side)}
          />
        ))}
      </div>
      {isCompared && <Difference before={right} after={left} onClose={() => setCompared(false)} />}
      {saving === 'example' && (
        <SaveExample name={name} values={values} onSaved={setExample} onClose={() => setSaving(undefined)} />
      )}
      {saving !== undefined && saving !== 'example' && (
        <SaveVersion
          asset={asset}
          draft={saving.draft()}
          onSaved={(version) => {
            saving.choose(version);
            setSaved(version);
          }}
          onClose={() => setSaving(undefined)}
        />
      )}
    </Page>
  );
}

const readable = { allowed: true };
