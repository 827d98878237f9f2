import { z } from 'zod';
import { targetKinds, type TargetKind } from '@gantry/contract/assets/targets.ts';
import { engine } from './target/engine.ts';
import type { AddFault } from './target/kind.ts';
import { kubernetes } from './target/kubernetes.ts';
import { certificate, checkWays, ways } from './target/ways.ts';

const kinds = { engine, kubernetes } as const satisfies Record<TargetKind, unknown>;

/** Where else agents run. One object for all kinds, so that editors and forms know every field. */
export const target = z
  .strictObject({
    kind: z
      .enum(targetKinds)
      .describe('`engine`: the container engine of another machine; `kubernetes`: a namespace of a cluster'),
    address: z
      .string()
      .max(300)
      .describe(
        'Of an engine: tcp://<host>:<port>, always with TLS, or ssh://<user>@<host>[:<port>]; after it the path of the socket, unless it is /var/run/docker.sock. Of a cluster: https://<host>:<port>, its API server, or in-cluster: the cluster in which the service itself runs',
      ),
    ca: certificate
      .optional()
      .describe(
        'PEM: the authority that signed the certificate of an engine at tcp:// or of a cluster. No other is accepted',
      ),
    ...engine.fields,
    ...kubernetes.fields,
    ...ways,
  })
  .superRefine((config, context) => {
    const fault: AddFault = (field, message) => context.addIssue({ code: 'custom', path: [field], message });
    for (const other of targetKinds)
      for (const field of Object.keys(kinds[other].fields))
        if (other !== config.kind && field in config) fault(field, `belongs to \`kind: ${other}\``);
    kinds[config.kind].check(config, fault);
    checkWays(config, fault);
  });

export type EngineConfig = z.output<typeof target>;
/** As its check leaves it. */
export type KubernetesConfig = EngineConfig & Required<Pick<EngineConfig, 'namespace'>>;
export { in_cluster } from './target/kubernetes.ts';
