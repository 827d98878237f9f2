import type { AgentStatus, Deployment } from '@gantry/contract/agents/deploy.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FormDialog } from '../../../parts/form/form-dialog.tsx';
import { Choice, TextArea } from '../../../parts/form/form.tsx';
import { useSend } from '../../../parts/action/use-send.ts';
import { ask } from '../../../server.ts';

interface RollbackDialogProps {
  name: string;
  /** Otherwise the version before the present one. */
  to?: string;
  onClose: () => void;
}

export function RollbackDialog({ name, to, onClose }: RollbackDialogProps) {
  const earlier = useEarlierVersions(name);
  const navigate = useNavigate();
  const rollback = useSend('agents.rollback', { changes: ['deployments', 'registry'] });
  return (
    <FormDialog
      title={`Roll back agents/${name}`}
      about="It passes the check and the approval of a deploy. The version gets today's secret values. No call fails."
      send="Roll back"
      sending={{ error: rollback.error, isPending: rollback.isPending || earlier === undefined }}
      onSend={({ to: chosen, reason }) =>
        rollback.mutate(
          { params: { name }, body: { ...(chosen && { to: chosen }), ...(reason && { reason }) } },
          { onSuccess: ({ answer: { id } }) => void navigate({ to: '/deployments/$id', params: { id } }) },
        )
      }
      onClose={onClose}
    >
      {earlier === undefined ? (
        <div className="skeleton h-14" />
      ) : (
        <Choice
          name="to"
          label="To version"
          defaultValue={to ?? earlier[0]}
          options={earlier.map((version, index) => ({
            value: version,
            label: index === 0 ? `${version}: the one before` : version,
          }))}
        />
      )}
      <TextArea name="reason" label="Reason" rows={2} maxLength={1000} help="Optional. It is in the audit log." />
    </FormDialog>
  );
}

/** The versions to which the agent can go back, the latest first. Undefined until they are known. */
export function useEarlierVersions(name: string): string[] | undefined {
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  const { data: deployments } = useQuery(ask('deployments.list', { query: { agent: name, limit: 100 } }));
  return status && deployments && earlierVersions(status, deployments.items);
}

function earlierVersions({ digest, target }: AgentStatus, deployments: readonly Deployment[]): string[] {
  const ran = deployments.filter(
    (each) =>
      each.state === 'done' &&
      (each.operation === 'deploy' || each.operation === 'rollback') &&
      each.target === target &&
      each.digest !== digest,
  );
  return [...new Set(ran.map(({ version }) => version))];
}
