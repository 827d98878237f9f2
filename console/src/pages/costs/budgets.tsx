import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMe } from '../../me.ts';
import { Page, Section } from '../../parts/page/page.tsx';
import { Reason } from '../../parts/action/action.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { BudgetOf } from './budget-of.tsx';
import { costsTabs } from './costs-tabs.ts';

export function BudgetsPage() {
  const me = useMe();
  const teams = useQuery(ask('teams.list', { query: { limit: 200 } }));
  const whole = me?.can['budgets.show'];
  // A reader of the costs of the organisation is in no team: the report names the teams.
  const byTeam = useQuery({ ...ask('costs.report', { query: { by: 'team' } }), enabled: whole?.allowed === true });
  const led = teams.data?.items.filter(({ your_role }) => your_role === 'admin').map(({ name }) => name);
  const granted = me?.reading.flatMap(({ right, team }) => (right === 'read_costs' && team !== null ? [team] : []));
  const called = byTeam.data?.rows.flatMap(({ of }) => of.team ?? []);
  const names = [...new Set([...(led ?? []), ...(granted ?? []), ...(called ?? [])])].toSorted((a, b) =>
    a.localeCompare(b),
  );
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
      {names.map((name) => (
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
      {whole?.allowed === false && (
        <p className="text-meta text-quiet">
          Other budgets exist that you may not see. <Reason can={whole} />
        </p>
      )}
    </Page>
  );
}
