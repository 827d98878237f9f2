import { getRouteApi } from '@tanstack/react-router';
import { AccessEntries } from '../agents/access/access-entries.tsx';
import { AccessExplained } from '../agents/access/access-explained.tsx';
import { OrchestrationPage } from './orchestration-page.tsx';

const route = getRouteApi('/orchestrations/$name/access');

export function AccessPage() {
  const { name } = route.useParams();
  const { principal, action } = route.useSearch();
  const of = { kind: 'orchestration', name } as const;
  return (
    <OrchestrationPage name={name} tab="access">
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-x-8 max-wide:grid-cols-1">
        <AccessEntries of={of} />
        <AccessExplained of={of} principal={principal} action={action} />
      </div>
    </OrchestrationPage>
  );
}
