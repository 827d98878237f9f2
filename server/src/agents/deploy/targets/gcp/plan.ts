import type { TargetPlan } from '../outside.ts';
import type { Described } from '../replicas/platform.ts';
import type { Planned } from '../target.ts';
import { methods } from './methods.ts';
import { brokenRules } from './plan-rules.ts';
import {
  description,
  poolId,
  replica,
  replicaId,
  secret,
  secretName,
  secretVersion,
  template,
  type GoogleRequest,
  type Planning,
} from './requests.ts';
import { runSize } from './run-size.ts';

export interface RevisionRequests {
  secret: ReturnType<typeof secret>;
  description: ReturnType<typeof description>;
}

/** What a description makes, in this order. */
export function requestsOf(described: Described, planning: Planning, { key }: { key: string }): RevisionRequests {
  return {
    secret: secret(described, planning),
    description: description(described, planning, { template: template(described, planning, { key }) }),
  };
}

/** Before anything is made, and without the key and the values of secrets. */
export function planOf({ scaling, secrets, files: _, ...described }: Planned, planning: Planning): TargetPlan {
  const { name } = described;
  const requests = requestsOf(described, planning, { key: '<the key of the revision>' });
  const described_template = requests.description.body.template;
  const { cpu, memory, rounded } = runSize(described.resources);
  const secret_name = secretName(name, planning);
  const first = replica(name, planning, { number: 1, template: described_template });
  return {
    requests: [
      asked(requests.secret, { kind: 'secret', name: secret_name }),
      {
        ...asked(secretVersion(name, planning, ''), { kind: 'secret', name: secret_name }),
        body: { payload: { data: '<the sealed values>' } },
      },
      asked(requests.description, { kind: 'worker pool', name: poolId(name) }),
      ...(scaling.min > 0 ? [asked(first, { kind: 'worker pool', name: replicaId(name, 1) })] : []),
    ],
    broken: brokenRules(requests),
    notes: [
      ...(rounded === undefined ? [] : [rounded]),
      'What a month costs is not known: the price of worker pools is not listed here.',
    ],
    covers: {
      kinds: ['secret', 'worker pool'],
      size: { cpu: String(cpu), memory: `${memory}Mi` },
      permissions: [`service account ${planning.settings.service_account}`],
      reach: (described.egress ?? ['*']).map((to) => `out: ${to}`).toSorted(),
      secrets: secrets.toSorted(),
    },
  };
}

const asked = ({ method, name, query = {}, body = {} }: GoogleRequest, resource: { kind: string; name: string }) => ({
  action: `${methods[method].verb} ${method}`,
  resource,
  body: { in: name, ...query, ...body },
});
