// The orchestration.yaml of a folder: its text and its faults.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  parseOrchestrationYaml,
  type OrchestrationConfig,
  type ParsedOrchestrationYaml,
} from '@gantry/project/orchestration-yaml.ts';
import { CliRefusal, misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

export const orchestration_file = 'orchestration.yaml';

/** A directory, or the orchestration.yaml in it. */
export function orchestrationDirectory(given = '.'): string {
  const stat = statSync(given, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return path.resolve(given);
  if (stat === undefined || path.basename(given) !== orchestration_file)
    throw misuse(`${given} is not an ${orchestration_file}`, `Give a directory, or the ${orchestration_file} in it.`);
  return path.resolve(path.dirname(given));
}

export function readOrchestration(directory: string): ParsedOrchestrationYaml {
  const file = path.join(directory, orchestration_file);
  if (statSync(file, { throwIfNoEntry: false }) === undefined)
    throw misuse(`There is no ${orchestration_file} in ${directory}`, 'Give its directory, or write one there.');
  return parseOrchestrationYaml(readFileSync(file, 'utf8'), orchestration_file);
}

/** Its notices are shown. Throws `config_invalid` with every fault. */
export function readValidOrchestration(session: Session, directory: string): OrchestrationConfig {
  const { config, findings } = readOrchestration(directory);
  if (config === undefined)
    throw new CliRefusal('config_invalid', `The ${orchestration_file} has faults`, {
      hint: 'Fix them; `svc orchestration validate` checks again.',
      faults: findings.filter(({ severity }) => severity === 'error'),
    });
  for (const { file, line, column, severity, message } of findings)
    if (severity !== 'error') session.output.notice(message, { at: `${file}:${line}:${column}`, severity });
  return config;
}
