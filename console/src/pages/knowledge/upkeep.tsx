// When a knowledge base is refreshed without a person: its schedule, its hook, and how the last refresh ended.
import type { KnowledgeRefresh } from '@gantry/contract/agents/knowledge.ts';
import type { KnowledgeHook } from '@gantry/contract/agents/knowledge-hooks.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { Copy, SvcLine } from '../../parts/copy.tsx';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { ShownOnce } from '../../parts/form/shown-once.tsx';
import { Facts, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';

export function Upkeep({ name, can }: { name: string; can: Allowed | undefined }) {
  const { data: upkeep, error } = useQuery(ask('knowledge.upkeep', { params: { name } }));
  const create = useSend('knowledge.create_hook', { says: () => `${name} has a hook` });
  const [secret, setSecret] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const problem = upkeep?.last?.state === 'failed' ? readProblem(upkeep.last.problem) : undefined;
  return (
    <Section title="Schedule and hook" aside="refreshed with the rights of the owner">
      {[error, create.error].map((each, index) => each !== null && <Refusal key={index} error={each} />)}
      {upkeep !== undefined && (
        <Facts
          facts={[
            [
              'Schedule',
              upkeep.refresh_hours === null ? 'none' : `${upkeep.refresh_hours} hours after the last refresh`,
            ],
            ['Next', upkeep.next_at === null ? '–' : <When key="next" at={upkeep.next_at} />],
            ['Last refresh', upkeep.last === null ? 'none' : <LastRefresh key="last" last={upkeep.last} />],
            ['Hook', upkeep.hook === null ? 'none' : <Hook key="hook" hook={upkeep.hook} />],
          ]}
        />
      )}
      {problem !== undefined && <Refusal error={problem} />}
      <div className="mt-2">
        {upkeep?.hook === null && (
          <Action
            can={can}
            svc={`svc kb hook create ${name}`}
            isBusy={create.isPending}
            onPress={() => create.mutate({ params: { name } }, { onSuccess: ({ answer }) => setSecret(answer.secret) })}
          >
            Make a hook
          </Action>
        )}
        {upkeep !== undefined && upkeep.hook !== null && (
          <Action can={can} svc={`svc kb hook delete ${name}`} onPress={() => setDeleting(true)}>
            Delete the hook…
          </Action>
        )}
      </div>
      <ShownOnce title={`Secret of the hook of ${name}`} value={secret} onClose={() => setSecret(undefined)}>
        GitHub signs with it, GitLab sends it as its token, and others send it as a bearer.
      </ShownOnce>
      {isDeleting && <DeleteHook name={name} onClose={() => setDeleting(false)} />}
    </Section>
  );
}

function LastRefresh({ last: { state, started, by, created_at } }: { last: KnowledgeRefresh }) {
  const meaning = state === 'done' ? 'good' : state === 'failed' ? 'failed' : 'waiting';
  return (
    <>
      <State meaning={meaning}>{state}</State> by {started === 'person' ? by : `the ${started}, as ${by}`}{' '}
      <When at={created_at} />
    </>
  );
}

function Hook({ hook: { address, created_by, created_at } }: { hook: KnowledgeHook }) {
  return (
    <>
      <Copy text={address} label="the address" /> by {created_by} <When at={created_at} />
    </>
  );
}

function DeleteHook({ name, onClose }: { name: string; onClose: () => void }) {
  const remove = useSend('knowledge.delete_hook', { says: () => `${name} has no hook` });
  return (
    <Confirm
      title="Delete the hook"
      about="Its secret ends. A new hook has another address."
      send="Delete it"
      sending={remove}
      onClose={onClose}
      onSend={() => remove.mutate({ params: { name } }, { onSuccess: onClose })}
    >
      <SvcLine line={`svc kb hook delete ${name}`} />
    </Confirm>
  );
}
