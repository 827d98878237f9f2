import { getRouteApi } from '@tanstack/react-router';
import { AgentPage } from './agent-page.tsx';

const route = getRouteApi('/agents/$name/try');

export function TryItPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="try">
      This page is not built yet.
    </AgentPage>
  );
}
