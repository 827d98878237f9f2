import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { CodeView, languageOf } from '../../../parts/code/code.tsx';
import { Empty } from '../../../parts/page/page.tsx';
import { later } from '../../../parts/browser/later.ts';
import { Refusal } from '../../../parts/refusal.tsx';
import { ask } from '../../../server.ts';

// With the contract's rules and their schemas, which no other page needs.
const agentYaml = later(() => import('./agent-yaml-editor.tsx'));
const AgentYaml = lazy(async () => ({ default: (await agentYaml()).AgentYamlEditor }));

const reasons = {
  binary: 'This is not a text.',
  too_large: 'This text is too large to show.',
} as const;

interface VersionFileProps {
  asset: AssetDetail;
  version: string;
  path: string;
}

/** One file of a version, as it was pushed. agent.yaml can be edited into a draft of the next one. */
export function VersionFile({ asset, version, path }: VersionFileProps) {
  const { name } = asset;
  const { data, error } = useQuery(
    ask('registry.show_file', { params: { kind: 'agent', name, version }, query: { path } }),
  );
  if (error !== null) return <Refusal error={error} />;
  if (data === undefined) return <div className="skeleton h-72" />;
  const { text, no_text } = data;
  if (text === null) return <Empty>{reasons[no_text ?? 'binary']}</Empty>;
  if (path !== 'agent.yaml') return <CodeView text={text} language={languageOf(path)} label={path} />;
  return (
    <Suspense fallback={<div className="skeleton h-72" />}>
      <AgentYaml asset={asset} version={version} text={text} />
    </Suspense>
  );
}
