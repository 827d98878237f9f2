import type { AssetKind } from '@gantry/contract/roles.ts';
import { useQuery } from '@tanstack/react-query';
import { stringify } from 'yaml';
import { CodeView } from '../../parts/code/code.tsx';
import { Digest } from '../../parts/copy.tsx';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { AssetLink } from './asset-link.tsx';

/** The config of one version, as text, and what it refers to. */
export function ShownVersion({ kind, name, version }: { kind: AssetKind; name: string; version: string }) {
  const { data, error } = useQuery(ask('registry.show_version', { params: { kind, name, version } }));
  if (error !== null) return <Refusal error={error} />;
  return (
    <>
      <Section title={`Config ${version}`} aside={data && <Digest digest={data.digest} />}>
        {data === undefined ? (
          <div className="skeleton h-40" />
        ) : (
          <CodeView text={stringify(data.config).trimEnd()} language="yaml" label={`Config of ${name} ${version}`} />
        )}
      </Section>
      {data !== undefined && data.references.length > 0 && (
        <Section title="Refers to">
          <ul className="rounded border border-line bg-raised">
            {data.references.map(({ ref, version: pinned, digest }) => (
              <li key={ref} className="flex min-h-8 items-center gap-4 border-b border-line px-3 last:border-b-0">
                <AssetLink asset={ref}>
                  {ref}@{pinned}
                </AssetLink>
                <span className="ml-auto">
                  <Digest digest={digest} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
