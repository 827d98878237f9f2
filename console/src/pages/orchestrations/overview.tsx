import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { BeforeDeploy } from './versions/before-deploy.tsx';
import { useConfig } from './config.ts';
import { Graph } from './graph/graph.tsx';
import { Members } from './members/members.tsx';
import { OrchestrationFacts } from './orchestration-facts.tsx';
import { OrchestrationPage } from './orchestration-page.tsx';
import { RunList } from './runs/run-list.tsx';
import { strategies } from './strategies.ts';

const route = getRouteApi('/orchestrations/$name');

const shown_runs = 8;

export function OverviewPage() {
  const { name } = route.useParams();
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'orchestration', name } }));
  const shown = asset?.serving_version ?? asset?.latest_version ?? undefined;
  const { config, version, error } = useConfig(name, shown);
  return (
    <OrchestrationPage name={name} tab="overview">
      <BeforeDeploy name={name} />
      {error !== null && <Refusal error={error} />}
      <Section title={config === undefined ? 'Members' : strategies[config.strategy].about} aside={shown}>
        {config === undefined ? (
          <div className="skeleton h-40" />
        ) : (
          <Graph label={`${name}: ${strategies[config.strategy].name}, as a graph`} config={config} />
        )}
      </Section>
      <div className="grid grid-cols-[minmax(0,7fr)_minmax(0,5fr)] gap-x-8 max-wide:grid-cols-1">
        <div>
          <Members name={name} config={config} />
          <Section title="Recent runs">
            <RunList name={name} limit={shown_runs} />
          </Section>
        </div>
        {asset === undefined || config === undefined || version === undefined ? (
          <div className="skeleton h-60" />
        ) : (
          <OrchestrationFacts asset={asset} config={config} version={version} />
        )}
      </div>
    </OrchestrationPage>
  );
}
