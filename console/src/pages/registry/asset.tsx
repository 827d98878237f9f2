import { printRef } from '@gantry/contract/refs.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { NotFound } from '../../frame/failed.tsx';
import { buttonClass } from '../../parts/action/button.tsx';
import { Facts, Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { BuildIndex } from '../knowledge/build-index.tsx';
import { CostsOf } from '../knowledge/costs-of.tsx';
import { SearchIt } from '../knowledge/search-it.tsx';
import { AssetActions } from './asset-actions.tsx';
import { isKind, kinds, readers } from './kinds.ts';
import { PromptLabels } from './prompt-labels.tsx';
import { Readers } from './readers.tsx';
import { ServerToolsOf } from './server-tools.tsx';
import { SkillFiles } from './skill-files.tsx';
import { ShownVersion } from './shown-version.tsx';
import { Users } from './users.tsx';
import { Versions } from './versions.tsx';

const route = getRouteApi('/registry/$kind/$name');

export function AssetPage() {
  const { kind, name } = route.useParams();
  return isKind(kind) ? <OfKind kind={kind} name={name} /> : <NotFound />;
}

function OfKind({ kind, name }: { kind: keyof typeof kinds; name: string }) {
  const { version } = route.useSearch();
  const { data: asset, error } = useQuery(ask('registry.show', { params: { kind, name } }));
  const shown = version ?? asset?.latest_version ?? undefined;
  return (
    <Page
      title={name}
      above={[
        { label: 'Registry', link: { to: '/registry' } },
        { label: kinds[kind].one, link: { to: '/registry', search: { kind } } },
      ]}
      state={asset?.published === true && <State meaning="good">published</State>}
      about={asset === undefined ? printRef({ kind, name }) : asset.description || kinds[kind].about}
      svc={`svc registry ${kind} show ${name}`}
      actions={
        <>
          {kind === 'agent' && (
            <Link to="/agents/$name" params={{ name }} className={buttonClass('plain')}>
              Open the agent
            </Link>
          )}
          {kind === 'orchestration' && (
            <Link to="/orchestrations/$name" params={{ name }} className={buttonClass('plain')}>
              Open the orchestration
            </Link>
          )}
          {kind === 'knowledge-base' && (
            <Link to="/knowledge/$name" params={{ name }} className={buttonClass('plain')}>
              Search and snapshots
            </Link>
          )}
          {kind === 'prompt' && (
            <Link to="/registry/prompt/$name/playground" params={{ name }} className={buttonClass('plain')}>
              Playground
            </Link>
          )}
          {kind === 'model' && (
            <Link to="/models/$name" params={{ name }} className={buttonClass('plain')}>
              Health and price
            </Link>
          )}
          {kind === 'target' && (
            <Link to="/targets/$name" params={{ name }} className={buttonClass('plain')}>
              Credential and agents
            </Link>
          )}
          {asset !== undefined && <AssetActions asset={asset} />}
        </>
      }
    >
      {error !== null && <Refusal error={error} />}
      {asset === undefined && error === null && <div className="skeleton h-80" />}
      {asset !== undefined && (
        <div className="grid grid-cols-[minmax(0,1fr)_320px] gap-x-8 max-wide:grid-cols-1">
          <div className="min-w-0">
            {shown !== undefined && <ShownVersion kind={kind} name={name} version={shown} />}
            {kind === 'rag-index' && <BuildIndex name={name} can={asset.can['registry.edit']} />}
            {kind === 'rag-index' && <SearchIt kind={kind} name={name} can={asset.can['registry.edit']} />}
            {kind === 'rag-index' && (
              <CostsOf
                tag={`rag-indexes/${name}`}
                team={asset.team}
                about="vectors of its documents and of its queries"
              />
            )}
            {shown !== undefined && kind === 'skill' && <SkillFiles key={shown} name={name} version={shown} />}
            {shown !== undefined && kind === 'mcp-server' && <ServerToolsOf name={name} version={shown} />}
            {kind === 'prompt' && <PromptLabels asset={asset} />}
            <Versions asset={asset} shown={shown} />
          </div>
          <div className="min-w-0">
            <Section title="Facts">
              <Facts
                facts={[
                  ['Team', asset.team],
                  ['Owner', asset.owner],
                  ['Readers', readers[asset.visibility]],
                  ['Listed', asset.published ? 'for other teams too' : 'for its team'],
                  ...(asset.tags.length === 0 ? [] : ([['Tags', asset.tags.join(', ')]] as const)),
                  ...(asset.serving_version === null ? [] : ([['Serving', asset.serving_version]] as const)),
                  ['Created', <When key="created" at={asset.created_at} />],
                  ['Changed', <When key="changed" at={asset.updated_at} />],
                ]}
              />
            </Section>
            <Users kind={kind} name={name} />
            <Readers asset={asset} />
          </div>
        </div>
      )}
    </Page>
  );
}
