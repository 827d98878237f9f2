// The gateway key of an agent, and the limits of its calls to models.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Facts, Section } from '../../../parts/page/page.tsx';
import { When } from '../../../parts/figures/when.tsx';
import { ask } from '../../../server.ts';
import { BudgetOf } from '../../costs/budget-of.tsx';

export function AgentBudget({ name }: { name: string }) {
  const keys = useQuery(ask('keys.list', { query: { scope: 'agent', limit: 200 } }));
  const can = useQuery(ask('agents.status', { params: { name } })).data?.can?.['budgets.show'];
  const key = keys.data?.items.find(({ scope_name }) => scope_name === name);
  return (
    <>
      <Section title="Budget">
        {can === undefined ? (
          <div className="skeleton h-40" />
        ) : (
          <BudgetOf subject={{ scope: 'agent', scope_id: name }} can={can} />
        )}
      </Section>
      <Section title="Key">
        {key === undefined ? (
          <p className="text-quiet">
            {keys.isPending ? <span className="skeleton">Its key</span> : 'A deploy issues its key. You see none.'}
          </p>
        ) : (
          <Facts
            facts={[
              [
                'Key',
                <Link key="key" to="/keys/$id" params={{ id: key.id }} className="font-mono text-meta text-accent">
                  {key.prefix}…
                </Link>,
              ],
              ['State', key.state],
              [
                'Models',
                <span key="models" className="font-mono text-meta">
                  {key.models.join(', ')}
                </span>,
              ],
              ['Ends', key.expires_at === null ? 'never' : <When key="ends" at={key.expires_at} />],
            ]}
          />
        )}
      </Section>
    </>
  );
}
