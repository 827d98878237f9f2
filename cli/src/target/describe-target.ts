import {
  isCloud,
  testedOn,
  type Target,
  type TargetDetail,
  type TargetFinding,
} from '@gantry/contract/assets/targets.ts';
import { in_cluster } from '@gantry/project/asset-config/target.ts';
import { bad, faint, fields, good, line, shortDigest, table, warn, type Block, type View } from '../view/view.ts';

export function listOfTargets(targets: readonly Target[]): Block {
  return table(
    ['target', 'kind', 'tested on', 'address', 'team', 'you', 'agents'],
    targets.map(({ name, kind, address, team, deploys, agents }) => [
      name,
      kind,
      testedOn(kind),
      address,
      team,
      deploys ? good('may deploy') : faint('may not deploy'),
      agents.length,
    ]),
    'The service has no target.',
  );
}

export function describeTarget({ name, kind, address, team, config, digest, credential, agents }: TargetDetail): View {
  const setting = (field: string) => (typeof config[field] === 'string' ? config[field] : undefined);
  return [
    fields({
      Target: name,
      Kind: kind,
      'Tested on': testedOn(kind),
      Address: address ?? 'the container engine of the service (DOCKER_HOST)',
      Region: setting('region'),
      Runtime: setting('runtime'),
      Registry: setting('registry'),
      'Door of the service': setting('service_url'),
      Team: team ?? undefined,
      Digest: digest === null ? undefined : shortDigest(digest),
      Credential:
        digest === null
          ? undefined
          : address === in_cluster
            ? 'the service account of the service itself'
            : credential === null
              ? isCloud(kind)
                ? 'the identity of the machine of the service'
                : warn(`none yet: svc target credential ${name}`)
              : [`set by ${credential.set_by} `, { time: credential.set_at }],
      Agents: agents.length === 0 ? 'none that you may read' : agents.join(', '),
    }),
  ];
}

export function findingLines(findings: readonly TargetFinding[]): View {
  return findings.map(({ part, works, message }) => line(works ? good('✓ ') : bad('✗ '), `${part}: ${message}`));
}
