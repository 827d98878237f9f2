// Who reads the costs or the log of a team, or of the organisation, by a grant. The admins there give and take it.
import type { ReadingGrant } from '@gantry/contract/people/reading-grants.ts';
import { readingRights } from '@gantry/contract/roles.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { askList, send } from '../../server.ts';

interface OfScope {
  /** Null for the organisation. */
  team: string | null;
  can: Allowed | undefined;
}

const day_seconds = 86_400;
const rights = { read_costs: 'costs and budgets', read_audit: 'audit log' } as const;

export function ReadingGrants({ team, can }: OfScope) {
  const grants = useInfiniteQuery(
    askList('grants.list', { query: { limit: 200, ...(team === null ? { scope: 'org' } : { team }) } }),
  );
  const [isGiving, setGiving] = useState(false);
  const remove = useSend('grants.delete', {
    changes: ['auth', 'costs', 'budgets'],
    says: () => 'The grant is taken back',
  });
  const give = (
    <Action
      can={can}
      svc={`svc grant read-costs --to <e-mail> ${team === null ? '--org' : `--team ${shellWord(team)}`}`}
      onPress={() => setGiving(true)}
    >
      Let somebody read
    </Action>
  );
  return (
    <Section title="Finance and auditors" aside={give}>
      <List
        label="Finance and auditors"
        {...pagesOf(grants)}
        keyOf={({ id }) => id}
        columns={columnsOf(can, ({ id }) => remove.mutate({ params: { id } }))}
        empty={
          <Empty>
            Nobody reads the costs or the log here by a grant. Admins read both by their role. A grant gives nothing
            else.
          </Empty>
        }
      />
      {isGiving && <Give team={team} onClose={() => setGiving(false)} />}
    </Section>
  );
}

function columnsOf(can: Allowed | undefined, remove: (grant: ReadingGrant) => void): Column<ReadingGrant>[] {
  return [
    { header: 'Who', width: 'minmax(0,2fr)', cell: ({ principal }) => principal },
    { header: 'Reads', width: 'minmax(0,1fr)', cell: ({ right }) => rights[right] },
    { header: 'Given by', width: 'minmax(0,1fr)', isExtra: true, cell: ({ granted_by }) => granted_by },
    {
      header: 'Ends',
      width: '110px',
      isExtra: true,
      cell: ({ ended, expires_at }) => (ended ? 'ended' : expires_at === null ? 'never' : <When at={expires_at} />),
    },
    {
      header: '',
      width: '110px',
      align: 'right',
      cell: (grant) => (
        <Action can={can} svc={`svc grant remove ${grant.id}`} onPress={() => remove(grant)}>
          Take back
        </Action>
      ),
    },
  ];
}

function Give({ team, onClose }: { team: string | null; onClose: () => void }) {
  const give = useSend('grants.create', {
    changes: ['auth', 'costs', 'budgets'],
    says: ({ principal, right }) =>
      `${principal} reads the ${rights[right]} of ${team === null ? 'the organisation' : `team ${team}`}`,
    undo: async ({ id }) => await send('grants.delete', { params: { id } }),
  });
  return (
    <FormDialog
      title={`Let somebody read ${team === null ? 'of the whole organisation' : `of team ${team}`}`}
      about="It gives no other right: no deploy, no value of a key or secret."
      send="Give the grant"
      sending={give}
      onSend={({ principal = '', right, days = '' }) =>
        give.mutate(
          {
            body: {
              right: readingRights.find((each) => each === right) ?? 'read_costs',
              principal: principal.includes(':') ? principal : `user:${principal}`,
              team,
              ...(days !== '' && { expires_in_seconds: Math.round(Number(days) * day_seconds) }),
            },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Field name="principal" label="Who" required help="An e-mail, group:<name>, or for costs principal:<name>." />
      <Choice
        name="right"
        label="Reads"
        options={readingRights}
        help="read_costs: costs and budgets. read_audit: the log."
      />
      <Field name="days" label="Days until it ends" type="number" help="Empty: without an end." />
    </FormDialog>
  );
}
