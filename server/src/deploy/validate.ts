// Step 1. The version's own files, checked again by the function that `svc validate` uses: what the service accepts may have become
// stricter since the push.
import { notInEffect, refusedFields, type AgentConfig } from '@gantry/contract/agent-yaml.ts';
import { checkProject } from '@gantry/contract/agent-project.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { targets } from '@gantry/contract/deploy.ts';
import type { Reader } from '../database/database.ts';
import { loadVersionContent, type VersionContent } from '../registry/versions/load-version-content.ts';
import type { Run } from '../runs/run.ts';
import type { DeployInput } from './deploy-run.ts';

export async function validate(db: Reader, run: Run<DeployInput>): Promise<AgentConfig> {
  const { config, files } = await loadDecided(db, run.input);
  const { findings, deployable } = checkProject(new Map(files.map(({ path, bytes }) => [path, bytes])));
  if (!deployable) {
    const errors = findings.filter(({ severity }) => severity === 'error').map((finding) => ({ ...finding }));
    throw new Problem('project_invalid', { detail: errors.map(({ message }) => message).join('. '), errors });
  }
  refuseWhatIsMissing(config, run.input.target);
  for (const { field, sentence } of notInEffect(config))
    run.notice(`\`${field}\` is not in effect: ${sentence}`, { field });
  return config;
}

/** The content under the digest that was decided about; a draft may point at other content by now. */
export async function loadDecided(db: Reader, input: DeployInput): Promise<VersionContent> {
  const content = await loadVersionContent(db, input.version_id);
  if (content.digest !== input.digest) throw superseded(input);
  return content;
}

export function superseded({ agent, version }: DeployInput): Problem {
  return new Problem('superseded', {
    detail: `agents/${agent}@${version} was pushed again while it was being deployed.`,
    hint: `Deploy it again: svc deploy agents/${agent}@${version}`,
  });
}

/** What an agent would be unsafe or broken without is refused, never passed over. */
export function refuseWhatIsMissing(config: AgentConfig, target: string): void {
  const missing = whatIsMissing(config, target);
  if (missing.length === 0) return;
  const errors = missing.map(({ field, sentence }) => ({
    pointer: `/${field.replaceAll('.', '/')}`,
    message: sentence,
  }));
  const detail = missing.map(({ field, sentence }) => `\`${field}\`: ${sentence}`).join(' ');
  throw new Problem('not_in_effect', { detail, errors });
}

export function whatIsMissing(config: AgentConfig, target: string): { field: string; sentence: string }[] {
  const known: readonly string[] = targets;
  // The target that was asked for takes the place of the one in the file.
  const elsewhere = known.includes(target)
    ? []
    : [{ field: 'deploy.cloud', sentence: `The target \`${target}\` is not there yet.` }];
  return [...refusedFields(config).filter(({ field }) => field !== 'deploy.cloud'), ...elsewhere];
}
