// Every check of a deploy with its verdict, and the changes against the running revision. A plan changes nothing. It refuses only callers who may
// not read the agent.
import type { Plan } from '@gantry/contract/agents/deploy-plan.ts';
import type { TargetPlan } from '@gantry/contract/agents/target-plan.ts';
import { notInEffect } from '@gantry/project/agent-yaml.ts';
import { checkProject } from '@gantry/project/agent-project.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { decide } from '../../governance/access/decide.ts';
import { describeRevocation } from '../approvals/approval-for.ts';
import type { Database } from '../../ground/database/database.ts';
import { costForecast } from '../../models/ledger/agent-cost.ts';
import { settings } from '../../people/principals/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { compare } from '../../assets/registry/difference/compare.ts';
import { changesAlone, type Pin } from '../../assets/registry/content.ts';
import { isEmpty } from '../../assets/registry/difference/difference.ts';
import { describeGuardrails } from '../../models/guardrails/describe.ts';
import { noticesOfModels, requireOneFormat } from '../../models/gateway/catalogue/agent-models.ts';
import { loadVersionContent } from '../../assets/registry/versions/load-version-content.ts';
import { checkReferences } from '../../assets/registry/references/pin-references.ts';
import { requireSecrets } from '../../assets/secrets/delivery.ts';
import { activeRun } from '../../ground/runs/run.ts';
import { authorizeTarget, deploySubject } from './decide-deploy.ts';
import { isUnlimited, whyEgressRefused } from './egress.ts';
import { notLimited } from './targets/not-limited.ts';
import { deployMutex } from './deploy-run.ts';
import { findVersionToDeploy, type Wanted } from './deployments/find-version-to-deploy.ts';
import { memoryInPlan } from './memory-in-plan.ts';
import type { DeployParts } from './parts.ts';
import { planFor } from './plan-for.ts';
import { runningVersion } from './serving/running-version.ts';
import { unfitTarget, whyUnguardedNow } from './steps/1-validate.ts';

type Verdict = Plan['verdicts'][number];

export async function plan(
  parts: Pick<DeployParts, 'db' | 'targets'>,
  caller: Caller,
  wish: { ref: string; target?: string | undefined },
): Promise<Plan> {
  const { db } = parts;
  const user = signedIn(caller);
  const wanted = await findVersionToDeploy(db, user, wish);
  const { asset, version, target } = wanted;
  const running = await runningVersion(db, asset.id, target);
  const changes = await compare(db, user, asset, { before: running, after: version.digest });
  const unguarded = await whyUnguardedNow(db, { agent_id: asset.id, team: asset.team, config: wanted.config });
  const { target_plan, says } = await sent(parts, wanted);
  const verdicts = [
    ...(await validity(parts, wanted, unguarded)),
    ...says,
    ...(await models(db, wanted)),
    ...(await guardrails(db, wanted)),
    ...(await memoryInPlan(db, { before: running?.digest, after: version.digest })),
    await permission(parts, user, wanted),
    await references(db, wanted),
    ...(await secrets(db, wanted)),
    await freedom(db, wanted),
    ...(running?.digest === version.digest && isEmpty(changes)
      ? [verdict('difference', 'notice', 'Exactly this version already runs.')]
      : []),
  ];
  return {
    ref: printVersionRef({ kind: 'agent', name: asset.name, version: version.version }),
    digest: version.digest,
    target,
    deployable: verdicts.every((one) => one.verdict !== 'fail'),
    verdicts,
    running:
      running === undefined ? null : printVersionRef({ kind: 'agent', name: asset.name, version: running.version }),
    changes,
    unguarded: unguarded ?? null,
    cost: await costForecast(db, user, asset),
    target_plan,
  };
}

/** What the deploy would send, and what its target says of that. */
async function sent(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  { version, config, target }: Wanted,
): Promise<{ target_plan: TargetPlan | null; says: Verdict[] }> {
  try {
    const made = await planFor(targets)(db, { config, digest: version.digest, target });
    const says = [
      ...(made?.broken ?? []).map((sentence) => verdict('target', 'fail', sentence)),
      ...(made?.notes ?? []).map((sentence) => verdict('target', 'notice', sentence)),
    ];
    return { target_plan: made ?? null, says };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { target_plan: null, says: [verdict('target', 'fail', error.detail)] };
  }
}

function verdict(check: string, given: Verdict['verdict'], detail: string): Verdict {
  return { check, verdict: given, detail };
}

async function validity(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  { version, config, target }: Wanted,
  unguarded: string | undefined,
): Promise<Verdict[]> {
  const setting = await settings(db);
  const refused = whyEgressRefused(setting, config);
  const unlimited = await isUnlimited(targets, { setting, config, target });
  const { files } = await loadVersionContent(db, version.id);
  const { deployable, findings } = checkProject(new Map(files.map(({ path, bytes }) => [path, bytes])));
  const faults = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  return [
    deployable
      ? verdict('validate', 'pass', `The project is valid; its agent is ${config.entrypoint ?? 'in agent.py'}.`)
      : verdict('validate', 'fail', faults.join('. ')),
    ...(await unfitTarget({ db, targets }, { config, target })).map(({ field, sentence }) =>
      verdict('validate', 'fail', `\`${field}\`: ${sentence}`),
    ),
    ...(refused === undefined ? [] : [verdict('validate', 'fail', refused)]),
    ...(unlimited ? [verdict('validate', 'fail', notLimited().detail)] : []),
    ...(unguarded === undefined ? [] : [verdict('validate', 'notice', unguarded)]),
    ...notInEffect(config).map(({ field, sentence }) =>
      verdict('validate', 'notice', `\`${field}\` is not in effect: ${sentence}`),
    ),
  ];
}

async function permission(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  user: SignedInCaller,
  { asset, version, config, target }: Wanted,
): Promise<Verdict> {
  return await asked('authorize', async () => {
    const subject = await deploySubject({ db, targets }, asset, {
      version_id: version.id,
      digest: version.digest,
      target,
      config,
    });
    const decision = decide(user, 'agent.deploy', subject);
    if (!decision.allowed) return verdict('authorize', 'fail', decision.reason);
    await authorizeTarget(db, user, target);
    if (decision.bypass !== 'approval') return verdict('authorize', 'pass', decision.because);
    const revoked = await describeRevocation(db, { version_id: version.id, digest: version.digest, target });
    const bypass = 'You deploy without an approval, as an admin. The audit log records that.';
    return verdict('authorize', 'notice', revoked === undefined ? bypass : `${bypass} ${revoked}`);
  });
}

async function references(db: Database, { version }: Wanted): Promise<Verdict> {
  return await asked('resolve', async () => {
    const pins = await checkReferences(db, version);
    return verdict('resolve', 'pass', pins.length === 0 ? 'It has no references.' : sentencesAbout(pins));
  });
}

function sentencesAbout(pins: readonly Pin[]): string {
  const named = (those: readonly Pin[], sentence: string) =>
    those.length === 0 ? [] : [`${those.map(({ ref }) => ref).join(', ')}: ${sentence}.`];
  return [
    ...named(
      pins.filter((pin) => !changesAlone(pin)),
      'unchanged since the push',
    ),
    ...named(pins.filter(changesAlone), 'not replaced since the push'),
  ].join(' ');
}

async function models(db: Database, { asset, config }: Wanted): Promise<Verdict[]> {
  const agent = { team_id: asset.team.id, config };
  const notices = (await noticesOfModels(db, agent)).map((sentence) => verdict('validate', 'notice', sentence));
  try {
    await requireOneFormat(db, agent);
    return notices;
  } catch (error) {
    if (error instanceof Problem) return [verdict('validate', 'fail', error.detail), ...notices];
    throw error;
  }
}

async function guardrails(db: Database, { asset, config }: Wanted): Promise<Verdict[]> {
  const sentences = describeGuardrails(await settings(db), { config, team: asset.team.name });
  return sentences.map((sentence) => verdict('guardrails', 'notice', sentence));
}

async function secrets(db: Database, { asset, config }: Wanted): Promise<Verdict[]> {
  const names = config.deploy?.secrets ?? [];
  if (names.length === 0) return [];
  const given = await asked('resolve', async () => {
    await requireSecrets(db, { agent_id: asset.id, config });
    return verdict('resolve', 'pass', `${names.join(', ')}: each secret is set.`);
  });
  return [given];
}

async function freedom(db: Database, { asset, target }: Wanted): Promise<Verdict> {
  const holder = await activeRun(db, deployMutex({ agent_id: asset.id, target }));
  if (holder === undefined) return verdict('queue', 'pass', 'No other deploy of it is running.');
  return verdict('queue', 'fail', `Another ${holder.kind} of it is running: ${holder.id}`);
}

// A refusal of the deploy becomes a verdict.
async function asked(check: string, ask: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem) return verdict(check, 'fail', error.detail);
    throw error;
  }
}
