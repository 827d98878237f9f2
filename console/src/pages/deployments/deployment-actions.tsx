import type { Deployment } from '@gantry/contract/deploy.ts';
import { hasEnded } from '@gantry/contract/run-states.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../../parts/action.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/use-send.ts';
import { ask } from '../../server.ts';

/** A running deploy can be cancelled until it switches; an ended one without a result can be repeated. */
export function DeploymentActions({ deployment, state }: { deployment: Deployment; state: Deployment['state'] }) {
  const { id, ref, agent, version } = deployment;
  const [isAsked, setAsked] = useState(false);
  const { data: status } = useQuery(ask('agents.status', { params: { name: agent } }));
  const navigate = useNavigate();
  const cancel = useSend('deployments.cancel', { changes: ['agents'] });
  const retry = useSend('deployments.create', { changes: ['agents', 'registry'] });
  // The service knows more than `can` about an older version, and refuses it in its own words.
  const can = status?.latest_version === version ? status.can?.['deployments.create'] : { allowed: true };
  if (!hasEnded(state))
    return (
      <>
        <Action
          can={{ allowed: true }}
          svc={`svc deployments cancel ${id.slice(0, 8)}`}
          isBusy={state === 'cancelling'}
          onPress={() => setAsked(true)}
          look="danger"
        >
          {state === 'cancelling' ? 'Cancelling…' : 'Cancel…'}
        </Action>
        <Dialog
          title={`Cancel the deploy of ${agent} ${version}?`}
          about="Its steps are undone. The revision that answers now keeps answering."
          isOpen={isAsked}
          onClose={() => setAsked(false)}
        >
          <div className="flex flex-col gap-4">
            {cancel.error !== null && <Refusal error={cancel.error} />}
            <div className="flex gap-2">
              <Button
                look="danger"
                disabled={cancel.isPending}
                onClick={() => cancel.mutate({ params: { id } }, { onSuccess: () => setAsked(false) })}
              >
                Cancel the deploy
              </Button>
              <Button look="quiet" onClick={() => setAsked(false)}>
                Let it run
              </Button>
            </div>
          </div>
        </Dialog>
      </>
    );
  if (state === 'done') return null;
  return (
    <>
      <Action
        can={can}
        svc={`svc deploy ${ref}`}
        look="main"
        isBusy={retry.isPending}
        onPress={() =>
          retry.mutate(
            { body: { ref } },
            { onSuccess: ({ answer }) => void navigate({ to: '/deployments/$id', params: { id: answer.id } }) },
          )
        }
      >
        Deploy again
      </Action>
      <Dialog title="The deploy was not started" isOpen={retry.error !== null} onClose={() => retry.reset()}>
        <Refusal error={retry.error} />
      </Dialog>
    </>
  );
}
