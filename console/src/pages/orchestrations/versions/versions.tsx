import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { shellWord } from '../../../parts/shell-word.ts';
import { ask } from '../../../server.ts';
import { ShownVersion } from '../../registry/shown-version.tsx';
import { Versions } from '../../registry/versions.tsx';
import { DeployVersion } from './deploy-version.tsx';
import { OrchestrationPage } from '../orchestration-page.tsx';

const route = getRouteApi('/orchestrations/$name/versions');

export function VersionsPage() {
  const { name } = route.useParams();
  const search = route.useSearch();
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'orchestration', name } }));
  const shown = search.version ?? asset?.serving_version ?? asset?.latest_version ?? undefined;
  return (
    <OrchestrationPage
      name={name}
      tab="versions"
      {...(search.version !== undefined && { svc: `svc orchestration show ${shellWord(`${name}@${search.version}`)}` })}
    >
      {asset === undefined ? <div className="skeleton h-40" /> : <Versions asset={asset} shown={shown} />}
      {asset !== undefined && shown !== undefined && (
        <>
          <DeployVersion key={shown} asset={asset} version={shown} />
          <ShownVersion kind="orchestration" name={name} version={shown} />
        </>
      )}
    </OrchestrationPage>
  );
}
