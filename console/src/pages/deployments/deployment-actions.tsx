import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { hasEnded } from '@gantry/contract/agents/run-states.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { Button } from '../../parts/action/button.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask } from '../../server.ts';
import { Again } from './again.tsx';
import { RollbackDialog, useEarlierVersions } from '../agents/versions/rollback-dialog.tsx';

/** A running deploy or rollback can be cancelled until it switches. A done one can be returned to. What did not succeed can be begun again. */
export function DeploymentActions({ deployment, state }: { deployment: Deployment; state: Deployment['state'] }) {
  const { id, operation, agent, version } = deployment;
  const [isAsked, setAsked] = useState(false);
  const earlier = useEarlierVersions(agent) ?? [];
  const { data: status } = useQuery(ask('agents.status', { params: { name: agent } }));
  const cancel = useSend('deployments.cancel', { changes: ['agents'] });
  if (hasEnded(state) && state !== 'done') return <Again deployment={deployment} />;
  if (operation !== 'deploy' && operation !== 'rollback') return null;
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
          title={`Cancel the ${operation} of ${agent}?`}
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
                Cancel the {operation}
              </Button>
              <Button look="quiet" onClick={() => setAsked(false)}>
                Let it run
              </Button>
            </div>
          </div>
        </Dialog>
      </>
    );
  if (!earlier.includes(version)) return null;
  return (
    <>
      <Action
        can={version === earlier[0] ? status?.can?.['agents.rollback'] : { allowed: true }}
        svc={`svc rollback ${agent} --to ${version}`}
        onPress={() => setAsked(true)}
      >
        Roll back to {version}…
      </Action>
      {isAsked && <RollbackDialog name={agent} to={version} onClose={() => setAsked(false)} />}
    </>
  );
}
