import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { stringify } from 'yaml';
import { CodeView } from '../../../parts/code/code.tsx';
import { Digest } from '../../../parts/copy.tsx';
import { bytes } from '../../../parts/figures/figures.ts';
import { Empty } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { shellWord } from '../../../parts/shell-word.ts';
import { ask } from '../../../server.ts';
import { AgentPage } from '../agent-page.tsx';
import { VersionChoice } from './version-choice.tsx';
import { VersionFile } from './version-file.tsx';

const route = getRouteApi('/agents/$name/config');

export function ConfigPage() {
  const { name } = route.useParams();
  const search = route.useSearch();
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'agent', name } }));
  const version = search.version ?? asset?.serving_version ?? asset?.latest_version ?? undefined;
  return (
    <AgentPage
      name={name}
      tab="config"
      svc={`svc registry agent show ${shellWord(version === undefined ? name : `${name}@${version}`)}`}
    >
      {asset === undefined && <div className="skeleton h-96" />}
      {asset !== undefined && version === undefined && (
        <Empty>{name} has no version yet. A push makes one: type svc deploy in its folder.</Empty>
      )}
      {asset !== undefined && version !== undefined && <Version asset={asset} version={version} file={search.file} />}
    </AgentPage>
  );
}

function Version({
  asset,
  version,
  file = 'agent.yaml',
}: {
  asset: AssetDetail;
  version: string;
  file?: string | undefined;
}) {
  const { name } = asset;
  const { data: files, error } = useQuery(ask('registry.files', { params: { kind: 'agent', name, version } }));
  const digest = asset.versions.find((each) => each.version === version)?.digest;
  // The right to write is the right to read its texts.
  const mayRead = asset.can['agents.push']?.allowed === true;
  if (error !== null) return <Refusal error={error} />;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <VersionChoice name="version" label="Version" asset={asset} value={version} />
        {digest !== undefined && <Digest digest={digest} />}
        <Link to="/agents/$name/difference" params={{ name }} search={{ to: version }} className="text-accent">
          Compare
        </Link>
      </div>
      <div className="grid grid-cols-[200px_minmax(0,1fr)] items-start gap-6 max-phone:grid-cols-1">
        <nav aria-label="Files" className="flex flex-col rounded border border-line bg-raised py-1 text-meta">
          {(files ?? [undefined, undefined, undefined]).map((each, index) =>
            each === undefined ? (
              <span key={index} className="skeleton mx-3 my-1.5 h-4" />
            ) : (
              <Link
                key={each.path}
                to="."
                search={(before) => ({ ...before, file: each.path })}
                replace
                resetScroll={false}
                activeProps={{}}
                aria-current={each.path === file ? 'page' : undefined}
                className="flex min-h-7 items-center gap-3 px-3 hover:bg-hover aria-[current=page]:bg-accent-soft"
              >
                <span className="min-w-0 flex-1 truncate font-mono" title={each.path}>
                  {each.path}
                </span>
                <span className="shrink-0 text-quiet">{bytes(each.bytes)}</span>
              </Link>
            ),
          )}
        </nav>
        {mayRead ? (
          <VersionFile key={`${version} ${file}`} asset={asset} version={version} path={file} />
        ) : (
          <ConfigAlone name={name} version={version} />
        )}
      </div>
    </>
  );
}

/** For readers who may not see the files: the same config, printed again. */
function ConfigAlone({ name, version }: { name: string; version: string }) {
  const { data, error } = useQuery(ask('registry.show_version', { params: { kind: 'agent', name, version } }));
  if (error !== null) return <Refusal error={error} />;
  if (data === undefined) return <div className="skeleton h-72" />;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <CodeView text={stringify(data.config)} language="yaml" label={`Config of ${version}`} />
      <p className="text-meta text-quiet">
        This is its config without comments. The text of its files is for people who may write {name}.
      </p>
    </div>
  );
}
