// An operation that did not succeed can be begun again.
import type { Deployment, Operation } from '@gantry/contract/agents/deploy.ts';
import type { EndpointName } from '@gantry/contract/endpoints.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Action } from '../../parts/action/action.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask } from '../../server.ts';
import { operationNouns } from './operation-words.ts';

const verbs: Record<Operation, string> = {
  deploy: 'Deploy',
  rollback: 'Roll back',
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  scale: 'Scale',
};

export function Again({ deployment }: { deployment: Deployment }) {
  const { operation, agent, version, target } = deployment;
  const { data: status } = useQuery(ask('agents.status', { params: { name: agent } }));
  const { endpoint, svc, sending, begin } = useBegin(deployment);
  const flag = target === status?.target ? '' : ` --target ${target}`;
  // The service knows more than `can` about an older version or another target, and refuses it in its own words.
  const isOfCan = target === status?.target && (operation !== 'deploy' || status.latest_version === version);
  return (
    <>
      <Action
        can={isOfCan && operation !== 'rollback' ? status.can?.[endpoint] : { allowed: true }}
        svc={`${svc}${flag}`}
        look="main"
        isBusy={sending.isPending}
        onPress={begin}
      >
        {verbs[operation]} again
      </Action>
      <Dialog
        title={`The ${operationNouns[operation].toLowerCase()} has not begun`}
        isOpen={sending.error !== null}
        onClose={() => sending.reset()}
      >
        <Refusal error={sending.error} />
      </Dialog>
    </>
  );
}

type Begun = Extract<EndpointName, `agents.${Exclude<Operation, 'deploy'>}` | 'deployments.create'>;

interface Begin {
  endpoint: Begun;
  svc: string;
  sending: { isPending: boolean; error: unknown; reset: () => void };
  begin: () => void;
}

function useBegin({ operation, ref, agent: name, version, target, instances }: Deployment): Begin {
  const navigate = useNavigate();
  const changes = ['agents', 'deployments', 'registry'];
  const deploy = useSend('deployments.create', { changes });
  const rollback = useSend('agents.rollback', { changes });
  const start = useSend('agents.start', { changes });
  const stop = useSend('agents.stop', { changes });
  const restart = useSend('agents.restart', { changes });
  const scale = useSend('agents.scale', { changes });
  const open = {
    onSuccess: ({ answer: { id } }: { answer: Deployment }) =>
      void navigate({ to: '/deployments/$id', params: { id } }),
  };
  const params = { name };
  const on = { params, query: { target } };
  const wanted = instances ?? 1;
  const begins: Record<Operation, Begin> = {
    deploy: {
      endpoint: 'deployments.create',
      svc: `svc deploy ${ref}`,
      sending: deploy,
      begin: () => deploy.mutate({ body: { ref, target } }, open),
    },
    rollback: {
      endpoint: 'agents.rollback',
      svc: `svc rollback ${name} --to ${version}`,
      sending: rollback,
      begin: () => rollback.mutate({ ...on, body: { to: version } }, open),
    },
    start: {
      endpoint: 'agents.start',
      svc: `svc start ${name}`,
      sending: start,
      begin: () => start.mutate(on, open),
    },
    stop: {
      endpoint: 'agents.stop',
      svc: `svc stop ${name}`,
      sending: stop,
      begin: () => stop.mutate(on, open),
    },
    restart: {
      endpoint: 'agents.restart',
      svc: `svc restart ${name}`,
      sending: restart,
      begin: () => restart.mutate(on, open),
    },
    scale: {
      endpoint: 'agents.scale',
      svc: `svc scale ${name} ${wanted}`,
      sending: scale,
      begin: () => scale.mutate({ ...on, body: { instances: wanted } }, open),
    },
  };
  return begins[operation];
}
