import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { scalingOf } from '@gantry/project/agent-yaml/scaling.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SvcLine } from '../../parts/copy.tsx';
import { plural } from '../../parts/figures/figures.ts';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask } from '../../server.ts';

export function ScaleDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  const scaling = useScaling(name);
  const [typed, setTyped] = useState<string>();
  const navigate = useNavigate();
  const scale = useSend('agents.scale', { changes: ['deployments'] });
  const present = status?.instances.length ?? 1;
  const wanted = typed ?? String(present);
  return (
    <FormDialog
      title={`Scale agents/${name}`}
      about="From this number on, its load adds and removes containers. No call fails."
      send={`Scale to ${plural(Number(wanted), 'container')}`}
      sending={{ error: scale.error, isPending: scale.isPending || Number(wanted) === present }}
      onSend={({ instances }) =>
        scale.mutate(
          { params: { name }, body: { instances: Number(instances) } },
          { onSuccess: ({ answer: { id } }) => void navigate({ to: '/deployments/$id', params: { id } }) },
        )
      }
      onClose={onClose}
    >
      <Field
        name="instances"
        label="Containers"
        type="number"
        required
        min={scaling && Math.max(1, scaling.min)}
        max={scaling?.max}
        value={wanted}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        help={
          scaling === undefined
            ? `Now ${present}.`
            : `Now ${present}. Version ${scaling.version} is approved for ${scaling.min} to ${scaling.max}.`
        }
      />
      {status !== undefined && status.no_room !== null && <p className="text-waiting">{status.no_room}</p>}
      <SvcLine line={`svc scale ${name} ${wanted}`} />
    </FormDialog>
  );
}

/** The approved numbers of containers of the version that runs. Undefined until they are known, or when none runs. */
export function useScaling(name: string): { version: string; min: number; max: number } | undefined {
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  const version = status?.ref?.split('@')[1];
  const { data: running } = useQuery({
    ...ask('registry.show_version', { params: { kind: 'agent', name, version: version ?? '' } }),
    enabled: version !== undefined,
  });
  // The service checked it when the version was pushed.
  const config = running?.config as AgentConfig | undefined;
  return version === undefined || config === undefined ? undefined : { version, ...scalingOf(config) };
}
