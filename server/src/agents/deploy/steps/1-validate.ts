// Step 1. Checks the version's files again, with the function of `svc validate`. The service may have become stricter since the push.
import { notInEffect, targetOf, type AgentConfig } from '@gantry/project/agent-yaml.ts';
import { checkProject } from '@gantry/project/agent-project.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetSubject } from '../../../governance/access/subject.ts';
import { whyUnknownTarget } from '../../approvals/unknown-target.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { describeGuardrails } from '../../../models/guardrails/describe.ts';
import { noticesOfModels, requireOneFormat } from '../../../models/gateway/catalogue/agent-models.ts';
import { isBudget, limitsOf } from '../../../models/ledger/limits.ts';
import { installationId, settings } from '../../../people/principals/find.ts';
import { misplaced } from '../../../assets/targets/find-targets.ts';
import { loadVersionContent, type VersionContent } from '../../../assets/registry/versions/load-version-content.ts';

import { refuseEgress, refuseUnlimited, whyUnguarded } from '../egress.ts';
import type { DeployInput, DeployRun } from '../deploy-run.ts';
import type { DeployParts } from '../parts.ts';
import { refuseBroken } from '../plan-for.ts';

export async function validate(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  run: DeployRun,
  team: AssetSubject['team'],
): Promise<AgentConfig> {
  const team_id = team.id;
  const { config, files } = await loadDecided(db, run.input);
  const { findings, deployable } = checkProject(new Map(files.map(({ path, bytes }) => [path, bytes])));
  if (!deployable) {
    const errors = findings.filter(({ severity }) => severity === 'error').map((finding) => ({ ...finding }));
    throw new Problem('project_invalid', { detail: errors.map(({ message }) => message).join('. '), errors });
  }
  await refuseUnfitTarget({ db, targets }, { config, target: run.input.target });
  const setting = await settings(db);
  refuseEgress(setting, config);
  await refuseUnlimited(targets, { setting, config, target: run.input.target });
  const wish = { config, digest: run.input.digest, target: run.input.target };
  for (const note of await refuseBroken(targets, db, wish)) run.notice(note);
  for (const { field, sentence } of notInEffect(config))
    run.notice(`\`${field}\` is not in effect: ${sentence}`, { field });
  await requireOneFormat(db, { team_id, config });
  for (const sentence of await noticesOfModels(db, { team_id, config })) run.notice(sentence);
  for (const sentence of describeGuardrails(setting, { config, team: team.name })) run.notice(sentence);
  return config;
}

/** With the budgets of the agent, of its team and of the organisation. */
export async function whyUnguardedNow(
  db: Reader,
  { agent_id, team, config }: { agent_id: string; team: AssetSubject['team']; config: AgentConfig },
): Promise<string | undefined> {
  const setting = await settings(db);
  const accounts = [agent_id, team.id, await installationId(db)];
  const hasBudget = (await limitsOf(db, accounts)).some(isBudget);
  const hasGuardrails = describeGuardrails(setting, { config, team: team.name }).length > 0;
  return whyUnguarded(setting, config, { hasBudget, hasGuardrails });
}

/** Loads the content with the digest of the decision. A draft may have other content by now. */
export async function loadDecided(db: Reader, input: DeployInput): Promise<VersionContent> {
  const content = await loadVersionContent(db, input.version_id);
  if (content.digest !== input.digest) throw superseded(input);
  return content;
}

export function superseded({ agent, version }: DeployInput): Problem {
  return new Problem('superseded', {
    detail: `agents/${agent}@${version} was pushed again during its deploy.`,
    hint: `Deploy it again: svc deploy agents/${agent}@${version}`,
  });
}

type Parts = Pick<DeployParts, 'db' | 'targets'>;

interface Wish {
  config: AgentConfig;
  target: string;
}

interface Missing {
  field: string;
  sentence: string;
}

/** Also before the decision: no version can be approved for a target that is unknown, or that has not what it needs. */
export async function refuseUnfitTarget(parts: Parts, wanted: Wish): Promise<void> {
  refuse(await unfitTarget(parts, wanted));
}

function refuse(missing: readonly Missing[]): void {
  if (missing.length === 0) return;
  const errors = missing.map(({ field, sentence }) => ({
    pointer: `/${field.replaceAll('.', '/')}`,
    message: sentence,
  }));
  const detail = missing.map(({ field, sentence }) => `\`${field}\`: ${sentence}`).join(' ');
  throw new Problem('not_in_effect', { detail, errors });
}

export async function unfitTarget(parts: Parts, wanted: Wish): Promise<Missing[]> {
  const unknown = await unknownTarget(parts, wanted);
  return unknown.length === 0 ? await missingIsolation(parts, wanted) : unknown;
}

async function missingIsolation({ targets }: Pick<Parts, 'targets'>, { config, target }: Wish): Promise<Missing[]> {
  const { isolation } = config.deploy ?? {};
  if (isolation === undefined) return [];
  const { isolations = [] } = await targets.find(target);
  if (isolations.includes(isolation)) return [];
  const has = isolations.length === 0 ? 'none' : isolations.join(', ');
  return [
    { field: 'deploy.isolation', sentence: `The target ${target} has no isolation ${isolation}; it has: ${has}.` },
  ];
}

async function unknownTarget({ db, targets }: Parts, { config, target }: Wish): Promise<Missing[]> {
  const elsewhere = await misplaced(db, config.deploy ?? {}, target);
  if (elsewhere.length > 0) return elsewhere;
  const sentence = whyUnknownTarget(target, await targets.names());
  if (sentence === undefined) return [];
  return [{ field: target === targetOf(config) ? 'deploy.cloud' : 'target', sentence }];
}
