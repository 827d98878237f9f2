import { parseAssetConfig } from '@gantry/contract/asset-config.ts';
import type { ConfiguredKind } from '@gantry/contract/asset-kinds.ts';
import type { Finding } from '@gantry/contract/finding.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';

export type Config = Record<string, unknown>;

/** A config as it is stored: of the form of its kind, with its defaults. Throws `invalid` with every fault, by its place in the body. */
export function readConfig(kind: ConfiguredKind, given: Config): Config {
  const { config, findings } = parse(kind, given);
  if (config !== undefined) return config;
  const errors = findings.map(({ pointer, message, suggestion }): Fault => ({
    pointer: `/config${pointer}`,
    message: suggestion === undefined ? message : `${message}. ${suggestion}`,
  }));
  throw new Problem('invalid', { detail: `This is no config of a ${kind}: ${sentences(findings)}.`, errors });
}

/** What is wrong with a config that was stored while less was asked of it; undefined for one that is fine. */
export function faultOf(kind: ConfiguredKind, stored: Config): string | undefined {
  const { config, findings } = parse(kind, stored);
  return config === undefined ? sentences(findings) : undefined;
}

// JSON is YAML: the one reader finds the faults, the secrets and the names that reach a prototype, and bounds what it costs.
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
