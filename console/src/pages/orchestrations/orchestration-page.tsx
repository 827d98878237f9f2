// The head of every page of one orchestration: its name, what serves, its address, what one can do with it, and its pages.
import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Copy } from '../../parts/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { OrchestrationActions } from './orchestration-actions.tsx';
import { Serving } from './orchestrations.tsx';

const tabs = {
  overview: { label: 'Overview', to: '/orchestrations/$name', svc: (name: string) => `svc orchestration show ${name}` },
  try: {
    label: 'Try it',
    to: '/orchestrations/$name/try',
    svc: (name: string) => `svc orchestration run ${name} "hello"`,
  },
  // `…/runs` is an address of the service.
  runs: {
    label: 'Runs',
    to: '/orchestrations/$name/history',
    svc: (name: string) => `svc orchestration runs ${name}`,
  },
  versions: {
    label: 'Versions',
    to: '/orchestrations/$name/versions',
    svc: (name: string) => `svc registry orchestration versions ${name}`,
  },
  access: {
    label: 'Access',
    to: '/orchestrations/$name/access',
    svc: (name: string) => `svc acl list --asset orchestrations/${name}`,
  },
} as const;

interface OrchestrationPageProps {
  name: string;
  tab: keyof typeof tabs;
  /** Otherwise that of the tab. */
  svc?: string;
  wide?: boolean;
  children: ReactNode;
}

export function OrchestrationPage({ name, tab, svc, wide = false, children }: OrchestrationPageProps) {
  const { data: asset, error } = useQuery(ask('registry.show', { params: { kind: 'orchestration', name } }));
  const above = [{ label: 'Orchestrations', link: { to: '/orchestrations' } }] as const;
  if (error !== null && asset === undefined)
    return (
      <Page title={name} above={above}>
        <Refusal error={error} />
      </Page>
    );
  return (
    <Page
      title={name}
      above={above}
      wide={wide}
      state={
        asset === undefined ? (
          <span className="skeleton h-5 w-28" />
        ) : (
          <span className="flex items-baseline gap-3">
            <Serving version={asset.serving_version} />
            <span className="text-quiet">{asset.serving_version}</span>
          </span>
        )
      }
      actions={asset !== undefined && <OrchestrationActions asset={asset} tab={tab} />}
      about={
        asset?.serving_version === null ? (
          'It has no address until it is deployed.'
        ) : (
          <span className="font-mono text-meta">
            <Copy text={`${location.origin}/orchestrations/${name}/invoke`} label="the address" />
          </span>
        )
      }
      svc={svc ?? tabs[tab].svc(name)}
      tabs={Object.values(tabs).map(({ label, to }) => ({ label, link: { to, params: { name } } satisfies LinkProps }))}
    >
      {children}
    </Page>
  );
}
