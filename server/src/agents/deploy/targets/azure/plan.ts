import type { TargetPlan } from '../outside.ts';
import type { Planned } from '../target.ts';
import { appSize } from './app-size.ts';
import { methods } from './methods.ts';
import { brokenRules } from './plan-rules.ts';
import { replica, replicaId, template, type Planning } from './requests.ts';

/** Before anything is made, and without the key and the values of secrets. A description alone sends nothing. */
export function planOf({ scaling, secrets, files: _, ...described }: Planned, planning: Planning): TargetPlan {
  const { name, fence } = described;
  const { rounded } = appSize(described.resources);
  const first = replica(described, planning, {
    number: 1,
    template: template(described),
    fence,
    key: '<the key of the revision>',
    sealed: '<the sealed values>',
  });
  const [container] = first.body.properties.template.containers;
  return {
    requests:
      scaling.min === 0
        ? []
        : [
            {
              action: `${methods[first.method].verb} ${first.method}`,
              resource: { kind: 'container app', name: replicaId(name, 1) },
              body: { in: first.name, ...first.body },
            },
          ],
    broken: brokenRules(first),
    notes: [
      ...(rounded === undefined ? [] : [rounded]),
      'What a month costs is not known: the price of container apps is not listed here.',
    ],
    covers: {
      kinds: ['container app'],
      size: { cpu: String(container.resources.cpu), memory: container.resources.memory },
      permissions: [`managed identity ${planning.settings.identity}`],
      reach: (described.egress ?? ['*']).map((to) => `out: ${to}`).toSorted(),
      secrets: secrets.toSorted(),
    },
  };
}
