// Why a person may do something with an asset or not, which entries apply, and what would change it.
import type { Explanation } from '@gantry/contract/people/permissions.ts';
import { printGrantee, type AssetRef } from '@gantry/contract/refs.ts';
import { actions, type Action } from '@gantry/contract/roles.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, type LinkProps } from '@tanstack/react-router';
import { SvcLine } from '../../../parts/copy.tsx';
import { Facts, Section } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { State } from '../../../parts/figures/state.tsx';
import { ask } from '../../../server.ts';

interface AccessExplainedProps {
  of: AssetRef;
  /** An e-mail address; the reader when absent. */
  principal: string | undefined;
  action: string | undefined;
}

export function AccessExplained({ of, principal, action }: AccessExplainedProps) {
  const asked = actions.find((each) => each === action) ?? 'use';
  const answers = useQueries({
    queries: actions.map((each) =>
      ask('permissions.explain', {
        query: {
          resource_type: of.kind,
          resource_id: of.name,
          action: each,
          principal: principal === undefined ? undefined : `user:${principal}`,
        },
      }),
    ),
  });
  const refused = answers.find(({ error, data }) => error !== null && data === undefined);
  return (
    <Section title={principal === undefined ? 'What you may do, and why' : `What ${principal} may do, and why`}>
      <PersonChoice of={of} principal={principal} />
      {refused === undefined ? (
        <div className="rounded border border-line bg-raised">
          {actions.map((each, n) => (
            <Line key={each} action={each} principal={principal} isOpen={each === asked} answer={answers[n]?.data} />
          ))}
        </div>
      ) : (
        <Refusal error={refused.error} />
      )}
    </Section>
  );
}

function PersonChoice({ of, principal }: { of: AssetRef; principal: string | undefined }) {
  const navigate = useNavigate();
  const asset = useQuery(ask('registry.show', { params: of }));
  const team = useQuery({
    ...ask('teams.show', { params: { team: asset.data?.team ?? '' } }),
    enabled: asset.data !== undefined,
  });
  const members = (team.data?.members ?? []).flatMap(({ principal }) =>
    principal.startsWith('user:') ? [principal.slice('user:'.length)] : [],
  );
  const choose = (email: string) =>
    void navigate({
      to: '.',
      replace: true,
      search: ((before: object) => ({ ...before, principal: email === '' ? undefined : email })) as never,
    });
  return (
    <form
      className="mb-3"
      onSubmit={(event) => {
        event.preventDefault();
        const email = new FormData(event.currentTarget).get('principal');
        if (typeof email === 'string') choose(email.trim());
      }}
    >
      <input
        key={principal ?? ''}
        name="principal"
        type="search"
        list="members"
        aria-label="Person"
        placeholder="You, or the e-mail address of a person"
        defaultValue={principal ?? ''}
        onBlur={({ target }) => target.value.trim() !== (principal ?? '') && choose(target.value.trim())}
        className="field placeholder:text-quiet"
      />
      <datalist id="members">
        {members.map((email) => (
          <option key={email}>{email}</option>
        ))}
      </datalist>
    </form>
  );
}

interface LineProps {
  action: Action;
  principal: string | undefined;
  isOpen: boolean;
  answer: Explanation | undefined;
}

function Line({ action, principal, isOpen, answer }: LineProps) {
  return (
    <div className="border-b border-line px-3 py-2 last:border-b-0">
      <Link
        {...({ to: '.', search: { ...(principal !== undefined && { principal }), action } } as LinkProps)}
        replace
        aria-expanded={isOpen}
        className="grid grid-cols-[72px_72px_minmax(0,1fr)] items-baseline gap-3 max-phone:grid-cols-[52px_44px_minmax(0,1fr)]"
      >
        <span className="font-strong">{action}</span>
        {answer === undefined ? (
          <span className="skeleton h-4" />
        ) : (
          <State meaning={answer.allowed ? 'good' : 'failed'}>{answer.allowed ? 'yes' : 'no'}</State>
        )}
        <span className="text-quiet">{answer?.reason}</span>
      </Link>
      {isOpen && answer !== undefined && <Why answer={answer} />}
    </div>
  );
}

function Why({
  answer: { role, platform_role, team, team_role, entries, would_change, allowed },
}: {
  answer: Explanation;
}) {
  return (
    <div className="mt-3 mb-1 flex flex-col gap-3">
      <Facts
        facts={[
          ['Role', `${role}: ${platform_role} in the organisation, ${team_role ?? 'none'} in team ${team}`],
          [
            'Entries that apply',
            entries.length === 0
              ? 'none'
              : entries.map((entry) => (
                  <span key={entry.id} className="block">
                    {entry.principal_type === 'org' ? 'the whole organisation' : printGrantee(entry)}:{' '}
                    {entry.actions.join(', ')}
                  </span>
                )),
          ],
        ]}
      />
      {would_change.length > 0 && (
        <div>
          <p className="mb-1 text-quiet">{allowed ? 'This would end it:' : 'This would allow it:'}</p>
          {would_change.map((together, n) => (
            <div key={together.join()} className="mb-1.5 flex flex-col gap-0.5">
              {n > 0 && <span className="text-quiet">or</span>}
              {together.map((line) =>
                line.startsWith('svc ') ? <SvcLine key={line} line={line} /> : <Change key={line} line={line} />,
              )}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

// `an approval: svc submit …`
function Change({ line }: { line: string }) {
  const [what, command] = line.split(': svc ');
  return (
    <span>
      {what} {command !== undefined && <SvcLine line={`svc ${command}`} />}
    </span>
  );
}
