import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import type { Finding } from '@gantry/project/finding.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';

export type Config = Record<string, unknown>;

/** A valid config of its kind, with its defaults. Throws `invalid` with every fault, by its place in the body. */
export function readConfig(kind: ConfiguredKind, given: Config, place = '/config'): Config {
  const { config, findings } = parse(kind, given);
  if (config !== undefined) return config;
  const errors = findings.map(({ pointer, message, suggestion }): Fault => ({
    pointer: `${place}${pointer}`,
    message: suggestion === undefined ? message : `${message}. ${suggestion}`,
  }));
  throw new Problem('invalid', { detail: `This is not a valid ${kind} config: ${sentences(findings)}.`, errors });
}

/** The faults of a config that was stored under looser rules; undefined when it is valid. */
export function faultOf(kind: ConfiguredKind, stored: Config): string | undefined {
  const { config, findings } = parse(kind, stored);
  return config === undefined ? sentences(findings) : undefined;
}

// JSON is YAML, so one reader finds faults, secrets and names of prototypes, at a limited cost.
function parse(kind: ConfiguredKind, value: Config) {
  const { config, findings } = parseAssetConfig(kind, JSON.stringify(value), 'config');
  return { config, findings: findings.filter(({ severity }) => severity === 'error') };
}

function sentences(findings: readonly Finding[]): string {
  return findings
    .slice(0, 3)
    .map(({ message }) => message)
    .join('. ');
}
