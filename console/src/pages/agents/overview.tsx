import { getRouteApi } from '@tanstack/react-router';
import { AgentEvents } from './agent-events.tsx';
import { AgentFigures } from './agent-figures.tsx';
import { AgentFacts } from './agent-facts.tsx';
import { AgentPage } from './agent-page.tsx';
import { AgentTrouble } from './agent-trouble.tsx';
import { Instances } from './instances.tsx';
import { RecentRuns } from './recent-runs.tsx';
import { RolledBack } from './versions/rolled-back.tsx';
import { Targets } from './targets.tsx';

const route = getRouteApi('/agents/$name');

export function OverviewPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="overview">
      <RolledBack name={name} />
      <AgentTrouble name={name} />
      <AgentFigures name={name} />
      <div className="mt-6 grid grid-cols-[minmax(0,7fr)_minmax(0,5fr)] gap-x-8 max-wide:grid-cols-1">
        <div>
          <Targets name={name} />
          <Instances name={name} />
          <RecentRuns name={name} />
          <AgentEvents name={name} />
        </div>
        <AgentFacts name={name} />
      </div>
    </AgentPage>
  );
}
