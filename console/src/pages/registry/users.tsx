import type { AssetKind } from '@gantry/contract/roles.ts';
import { useQuery } from '@tanstack/react-query';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { AssetLink } from './asset-link.tsx';

/** Where it is used. */
export function Users({ kind, name }: { kind: AssetKind; name: string }) {
  const { data, error } = useQuery(ask('registry.used_by', { params: { kind, name } }));
  return (
    <Section title="Used by">
      {error !== null && <Refusal error={error} />}
      {data === undefined && error === null && <div className="skeleton h-5 w-40" />}
      {data !== undefined && data.assets.length + data.settings.length + data.hidden === 0 && (
        <p className="text-quiet">{nobody[kind] ?? 'No deployed agent and no config refers to it.'}</p>
      )}
      {data?.assets.map((asset) => (
        <p key={asset}>
          <AssetLink asset={asset}>{asset}</AssetLink>
        </p>
      ))}
      {data?.settings.map((setting) => (
        <p key={setting}>
          the setting <span className="font-mono text-meta">{setting}</span> of the organisation
        </p>
      ))}
      {data !== undefined && data.hidden > 0 && <p className="text-quiet">and {data.hidden} that you may not read</p>}
    </Section>
  );
}

const nobody: Partial<Record<AssetKind, string>> = {
  model: 'No deployed agent, guardrail or other model names it. Agents that name no model may call it too.',
};
