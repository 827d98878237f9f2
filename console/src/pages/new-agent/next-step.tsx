import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Action } from '../../parts/action/action.tsx';
import { buttonClass } from '../../parts/action/button.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask } from '../../server.ts';

/** Deploy, for those who may; submit, for the others. */
export function NextStep({ pushed, hasSecrets }: { pushed: string; hasSecrets: boolean }) {
  const [name = '', version = ''] = pushed.replace('agents/', '').split('@');
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'agent', name } }));
  const navigate = useNavigate();
  const submit = useSend('approvals.submit', {
    changes: ['registry', 'agents', 'notifications'],
    says: () => `${pushed} waits for an approval`,
  });
  const deploy = useSend('deployments.create', { changes: ['agents'] });
  const mayDeploy = status?.can?.['deployments.create'];
  const maySubmit = asset?.can['approvals.submit'];
  return (
    <>
      {[submit.error, deploy.error].map((error, index) => error !== null && <Refusal key={index} error={error} />)}
      <div className="flex flex-wrap gap-2">
        <Action
          can={mayDeploy}
          svc={`svc deploy ${pushed}`}
          look={mayDeploy?.allowed === true ? 'main' : 'plain'}
          isBusy={deploy.isPending}
          onPress={() =>
            deploy.mutate(
              { body: { ref: pushed } },
              { onSuccess: ({ answer: { id } }) => void navigate({ to: '/deployments/$id', params: { id } }) },
            )
          }
        >
          Deploy {version}
        </Action>
        <Action
          can={maySubmit}
          svc={`svc submit ${pushed}`}
          look={mayDeploy?.allowed === true ? 'plain' : 'main'}
          isBusy={submit.isPending}
          onPress={() =>
            submit.mutate(
              { body: { asset: pushed } },
              { onSuccess: ({ answer: { id } }) => void navigate({ to: '/approvals/$id', params: { id } }) },
            )
          }
        >
          Submit for approval
        </Action>
        {hasSecrets && (
          <Link to="/agents/$name/secrets" params={{ name }} className={buttonClass('plain')}>
            Set its secrets
          </Link>
        )}
        <Link to="/agents/$name" params={{ name }} className={buttonClass('quiet')}>
          Open {name}
        </Link>
      </div>
    </>
  );
}
