import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMe } from '../../me.ts';
import { Empty, Page, Section } from '../../parts/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { BudgetOf } from './budget-of.tsx';
import { costsTabs } from './costs-tabs.ts';

export function BudgetsPage() {
  const me = useMe();
  const teams = useQuery(ask('teams.list', { query: { limit: 200 } }));
  const isAdmin = me?.role === 'admin';
  // Only admins of a team see its budget.
  const shown = teams.data?.items.filter(({ your_role }) => isAdmin || your_role === 'admin');
  return (
    <Page
      title="Budgets"
      tabs={costsTabs}
      svc="svc team budget show <team>"
      about="A call counts for its key, its holder, its team and the organisation. The first spent limit ends it."
    >
      {teams.error !== null && <Refusal error={teams.error} />}
      {me?.can['budgets.show']?.allowed === true && (
        <Section title="The organisation">
          <BudgetOf subject={{ scope: 'org' }} />
        </Section>
      )}
      {shown?.map(({ name }) => (
        <Section
          key={name}
          title={`Team ${name}`}
          aside={
            <Link to="/costs" search={{ team: name }} className="text-accent">
              costs
            </Link>
          }
        >
          <BudgetOf subject={{ scope: 'team', scope_id: name }} />
        </Section>
      ))}
      {me?.teams.map(({ name }) => (
        <Section key={name} title={`You in team ${name}`}>
          <BudgetOf subject={{ scope: 'user', team: name }} />
        </Section>
      ))}
      {shown?.length === 0 && me?.teams.length === 0 && me.can['budgets.show']?.allowed !== true && (
        <Empty>You are in no team. A team pays for each call.</Empty>
      )}
    </Page>
  );
}
