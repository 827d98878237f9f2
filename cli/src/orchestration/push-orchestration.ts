// From an orchestration.yaml to a version in the registry: a new asset, or another version of one.
import { nextVersion } from '@gantry/project/agent-yaml/bump-version.ts';
import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { CliRefusal } from '../refusal.ts';
import type { Config } from '../registry/typed-config.ts';
import type { Session } from '../session/session.ts';

export interface PushedOrchestration {
  /** orchestrations/<name>@<version> */
  ref: string;
  digest: string;
  /** The registry had exactly this content under this version. */
  unchanged: boolean;
  /** The first version of a new asset. */
  created: boolean;
}

export async function pushOrchestration(session: Session, config: OrchestrationConfig): Promise<PushedOrchestration> {
  const { name, version, team } = config;
  const params = { kind: 'orchestration', name } as const;
  const before = await shownOrMissing(session, params);
  const body = { version, config: JSON.parse(JSON.stringify(config)) as Config }; // what JSON.parse answers is JSON
  const after =
    before === undefined
      ? await session.call('registry.create', { params: { kind: params.kind }, body: { ...body, name, team } })
      : await session.call('registry.edit', { params, body }).catch((error: unknown) => {
          throw error instanceof Problem ? withNextVersion(error, before.latest_version ?? version) : error;
        });
  return {
    ref: `${after.ref}@${version}`,
    digest: after.versions.find((one) => one.version === version)?.digest ?? '',
    unchanged: before?.versions.some((one) => one.version === version) === true,
    created: before === undefined,
  };
}

/** Undefined also for one that the caller may not read; its name is then refused as taken. */
async function shownOrMissing(session: Session, params: { kind: 'orchestration'; name: string }) {
  return await session.call('registry.show', { params }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  });
}

/** A pushed version is final, so every change needs the next one. */
function withNextVersion(problem: Problem, latest: string): unknown {
  const next = nextVersion(latest, 'patch');
  if (problem.code !== 'version_final' || next === undefined) return problem;
  return new CliRefusal(problem.code, problem.message, {
    hint: `Write version: ${next}, or let svc write a higher one: svc orchestration push --bump patch`,
  });
}
