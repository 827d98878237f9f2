import { getRouteApi } from '@tanstack/react-router';
import { AgentPage } from './agent-page.tsx';

const route = getRouteApi('/agents/$name/cost');

export function CostPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="cost">
      This page is not built yet.
    </AgentPage>
  );
}
