// The limits of the team, of one of its members, and of the keys of new ones.
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMe } from '../../me.ts';
import type { Allowed } from '../../parts/action/action.tsx';
import { ChoiceFilter } from '../../parts/list/filters.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { BudgetOf } from '../costs/budget-of.tsx';
import { KeyDefaults } from './key-defaults.tsx';
import { emailOf, type TeamDetail } from './members.tsx';
import { TeamHead } from './team-head.tsx';

const route = getRouteApi('/teams/$team/budget');

export function TeamBudgetPage() {
  const { team: name } = route.useParams();
  return (
    <TeamHead name={name} svc={`svc team budget show ${shellWord(name)}`}>
      {(team) => <Budgets team={team} />}
    </TeamHead>
  );
}

function Budgets({ team }: { team: TeamDetail }) {
  const { name, can } = team;
  return (
    <>
      <Section title="The team" aside={<Link to="/budgets">all budgets</Link>}>
        <BudgetOf subject={{ scope: 'team', scope_id: name }} can={can['budgets.show']} />
      </Section>
      <KeyDefaults team={name} can={can['key_defaults.set']} />
      <OneMember team={team} can={can['budgets.show']} />
    </>
  );
}

function OneMember({ team: { name, members }, can }: { team: TeamDetail; can: Allowed | undefined }) {
  const emails = members.map(emailOf);
  const me = useMe()?.email ?? '';
  const { of = emails.includes(me) ? me : undefined } = route.useSearch();
  return (
    <Section
      title={of ?? 'One member'}
      aside={can?.allowed === true && <ChoiceFilter name="of" label="Choose a member" options={emails} />}
    >
      {of === undefined ? (
        <Empty>Choose a member to see and set what they spend in this team.</Empty>
      ) : (
        <BudgetOf subject={{ scope: 'user', scope_id: of, team: name }} can={of === me ? undefined : can} />
      )}
      <p className="mt-2 text-meta text-quiet">
        Limits of agents are on their Cost page:{' '}
        <Link to="/agents" search={{ team: name }} className="text-accent underline">
          agents of this team
        </Link>
        . Those of service principals are on the pages of the{' '}
        <Link to="/service-principals" search={{ team: name }} className="text-accent underline">
          service principals
        </Link>
        .
      </p>
    </Section>
  );
}
