import type { Send } from '@gantry/contract/client/client.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import type { Finding } from '@gantry/project/finding.ts';
import { text } from '../command.ts';
import { describeFindings } from '../project/describe-findings.ts';
import { readGiven } from '../input/read-given.ts';
import { misuse, CliRefusal } from '../refusal.ts';

export type Config = NonNullable<Send<'registry.create'>['body']['config']>;

export const configFlags = {
  file: text('The config: a YAML or JSON file, or - for stdin', 'path'),
  config: text('The config, as YAML or JSON', 'yaml'),
};

export interface TypedConfig {
  config: Config;
  /** The text as given. */
  text: string;
}

/** Checked as the service will check it; undefined without both flags. */
export async function readTypedConfig(
  kind: ConfiguredKind,
  { file, config }: { file: string | undefined; config: string | undefined },
): Promise<TypedConfig | undefined> {
  if (file !== undefined && config !== undefined) throw misuse('Give --file or --config, not both');
  if (config !== undefined) return await checkedConfig(kind, config, '--config');
  if (file === undefined) return undefined;
  return await checkedConfig(kind, await readGiven(file), file === '-' ? 'stdin' : file);
}

export async function checkedConfig(kind: ConfiguredKind, written: string, file: string): Promise<TypedConfig> {
  const { parseAssetConfig } = await import('@gantry/project/asset-config.ts');
  const { config, findings } = parseAssetConfig(kind, written, file);
  if (config === undefined) throw invalid(kind, file, findings);
  return { config: JSON.parse(JSON.stringify(config)) as Config, text: written }; // what JSON.parse answers is JSON
}

export async function printConfig(config: object): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(config);
}

/** Editors find the schema of a config by this line. */
export function schemaLine(server: string, kind: AssetKind): string {
  return `# yaml-language-server: $schema=${server}/api/v1/schemas/${kind === 'agent' ? 'agent.json' : `assets/${kind}`}\n`;
}

function invalid(kind: ConfiguredKind, file: string, findings: readonly Finding[]): CliRefusal {
  const sentence = `${file} is not a valid config of a ${kind}`;
  return new CliRefusal('config_invalid', sentence, {
    view: describeFindings(findings),
    problem: { code: 'config_invalid', detail: sentence, errors: findings },
  });
}
