import { getRouteApi } from '@tanstack/react-router';
import { AgentPage } from './agent-page.tsx';

const route = getRouteApi('/agents/$name/secrets');

export function SecretsPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="secrets">
      This page is not built yet.
    </AgentPage>
  );
}
