import { getRouteApi } from '@tanstack/react-router';
import { AgentPage } from './agent-page.tsx';

const route = getRouteApi('/agents/$name/access');

export function AccessPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="access">
      This page is not built yet.
    </AgentPage>
  );
}
