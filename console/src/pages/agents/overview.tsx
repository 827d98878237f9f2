import { getRouteApi } from '@tanstack/react-router';
import { AgentPage } from './agent-page.tsx';

const route = getRouteApi('/agents/$name');

export function OverviewPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="overview">
      This page is not built yet.
    </AgentPage>
  );
}
