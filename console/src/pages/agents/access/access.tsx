import { getRouteApi } from '@tanstack/react-router';
import { AccessEntries } from './access-entries.tsx';
import { AccessExplained } from './access-explained.tsx';
import { AgentPage } from '../agent-page.tsx';

const route = getRouteApi('/agents/$name/access');

export function AccessPage() {
  const { name } = route.useParams();
  const { principal, action } = route.useSearch();
  const of = { kind: 'agent', name } as const;
  return (
    <AgentPage name={name} tab="access">
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-x-8 max-wide:grid-cols-1">
        <AccessEntries of={of} />
        <AccessExplained of={of} principal={principal} action={action} />
      </div>
    </AgentPage>
  );
}
