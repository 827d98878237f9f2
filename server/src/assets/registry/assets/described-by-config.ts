// An orchestration.yaml describes its asset, as an agent.yaml does: name, version, team, owner, description and tags. Other configs do not.
import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { readConfig, type Config } from '../read-config.ts';

export interface Identity {
  name: string;
  version: string;
  team: string;
}

export interface Described {
  config: Config;
  /** Undefined for a config that does not describe its asset. */
  described?: Pick<OrchestrationConfig, 'team' | 'owner' | 'description' | 'tags'>;
}

/** A valid config. An orchestration without name, version or team gets those of its asset. Throws `invalid` for another name or version. */
export function readDescribed(kind: ConfiguredKind, given: Config, identity: Identity): Described {
  if (kind !== 'orchestration') return { config: readConfig(kind, given) };
  const config = readConfig(kind, { ...identity, ...given });
  const described = config as unknown as OrchestrationConfig; // parsed as this kind
  for (const field of ['name', 'version'] as const) {
    if (described[field] !== identity[field]) throw differs(field, described[field], identity[field]);
  }
  return { config, described };
}

/** For a new asset, whose team is no fact yet. */
export function requireTeam({ described }: Described, team: string): void {
  if (described !== undefined && described.team !== team) throw differs('team', described.team, team);
}

function differs(field: string, written: string, asked: string): Problem {
  const message = `is ${written}, but the asset has ${asked}`;
  return new Problem('invalid', {
    detail: `\`${field}\` in orchestration.yaml ${message}.`,
    errors: [{ pointer: `/config/${field}`, message }],
  });
}
