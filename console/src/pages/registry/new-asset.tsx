import { configOnlyKinds, type ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { NotFound } from '../../frame/failed.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { membersOf } from './config-fields.tsx';
import { CreateForm } from './create-form.tsx';
import { EditForm } from './edit-form.tsx';
import { kinds } from './kinds.ts';

const route = getRouteApi('/registry/$kind/new');

export function NewAssetPage() {
  const { kind } = route.useParams();
  const { of } = route.useSearch();
  const configured = configOnlyKinds.find((each) => each === kind);
  if (configured === undefined) return <NotFound />;
  return of === undefined ? <Create kind={configured} /> : <Edit kind={configured} name={of} />;
}

function Create({ kind }: { kind: ConfigOnlyKind }) {
  const { data: schema, error } = useQuery(ask('service.asset_schema', { params: { kind } }));
  return (
    <Page
      title={`New ${kinds[kind].one}`}
      above={[
        { label: 'Registry', link: { to: '/registry' } },
        { label: kinds[kind].one, link: { to: '/registry', search: { kind } } },
      ]}
      about={kinds[kind].about}
      svc={`svc registry ${kind} create <name> --file config.yaml`}
    >
      {error !== null && <Refusal error={error} />}
      {schema === undefined ? <Waiting /> : <CreateForm kind={kind} members={membersOf(schema)} />}
    </Page>
  );
}

function Edit({ kind, name }: { kind: ConfigOnlyKind; name: string }) {
  const { data: schema } = useQuery(ask('service.asset_schema', { params: { kind } }));
  const { data: asset, error } = useQuery(ask('registry.show', { params: { kind, name } }));
  return (
    <Page
      title={`New version of ${name}`}
      above={[
        { label: 'Registry', link: { to: '/registry' } },
        { label: name, link: { to: '/registry/$kind/$name', params: { kind, name } } },
      ]}
      about={asset && `Begins as ${asset.ref}@${asset.latest_version ?? ''}. New references pin the new version.`}
      svc={`svc registry ${kind} edit ${name}`}
    >
      {error !== null && <Refusal error={error} />}
      {schema === undefined || asset === undefined ? (
        error === null && <Waiting />
      ) : (
        <EditForm kind={kind} members={membersOf(schema)} asset={asset} />
      )}
    </Page>
  );
}

const Waiting = () => <div className="skeleton h-96 max-w-[720px]" />;
