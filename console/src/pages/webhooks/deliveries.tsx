import type { Delivery } from '@gantry/contract/telling/webhooks.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { ChoiceFilter, Filters } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State } from '../../parts/figures/state.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';

const route = getRouteApi('/webhooks/$name');
const states = ['queued', 'delivered', 'dead'] as const;
const meanings = { queued: 'waiting', delivered: 'good', dead: 'failed' } as const;

export function Deliveries({ name, can }: { name: string; can: Allowed | undefined }) {
  const { state: wanted } = route.useSearch();
  const state = states.find((each) => each === wanted);
  const deliveries = useInfiniteQuery(
    askList('webhooks.deliveries', { params: { name }, query: { state, limit: 200 } }),
  );
  const redeliver = useSend('webhooks.redeliver', {
    says: ({ event, seq }) => `${event} (governance/${seq}) is sent to ${name} again`,
  });
  return (
    <Section title="Deliveries" aside="ended ones are listed for 30 days">
      <Filters>
        <ChoiceFilter name="state" label="Any state" options={states} />
      </Filters>
      {redeliver.error !== null && <Refusal error={redeliver.error} />}
      <List
        label="Deliveries"
        columns={columnsWith({
          name,
          can,
          isBusy: redeliver.isPending,
          onAgain: (id) => redeliver.mutate({ params: { name, id } }),
        })}
        keyOf={({ id }) => id}
        {...pagesOf(deliveries)}
        empty={<Empty>{state === undefined ? 'No delivery yet. Send a test.' : 'No delivery in this state.'}</Empty>}
      />
    </Section>
  );
}

interface Again {
  name: string;
  can: Allowed | undefined;
  isBusy: boolean;
  onAgain: (id: string) => void;
}

const columnsWith = ({ name, can, isBusy, onAgain }: Again): readonly Column<Delivery>[] => [
  { header: 'Event', width: 'minmax(0,1fr)', cell: ({ event }) => event },
  { header: 'State', width: '110px', cell: (one) => <State meaning={meanings[one.state]}>{one.state}</State> },
  { header: 'Entry', width: '70px', isExtra: true, align: 'right', cell: ({ seq }) => `#${seq}` },
  { header: 'Tries', width: '50px', isExtra: true, align: 'right', cell: ({ attempts }) => attempts },
  { header: 'Answer', width: '60px', isExtra: true, align: 'right', cell: ({ status }) => status ?? '–' },
  {
    header: 'Problem',
    width: 'minmax(0,1.6fr)',
    isExtra: true,
    cell: ({ problem }) => <span title={problem ?? ''}>{problem}</span>,
  },
  { header: 'Made', width: '90px', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
  { header: 'Next try', width: '80px', isExtra: true, cell: ({ next_attempt_at: at }) => <When at={at} /> },
  {
    header: 'Action',
    width: '92px',
    isExtra: true,
    align: 'right',
    cell: ({ id, state: at }) =>
      at !== 'queued' && (
        <Action
          can={can}
          svc={`svc webhook redeliver ${name} ${id}`}
          look="quiet"
          isBusy={isBusy}
          onPress={() => onAgain(id)}
        >
          Send again
        </Action>
      ),
  },
];
