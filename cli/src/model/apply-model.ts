import { isDeepStrictEqual } from 'node:util';
import { nextVersion } from '@gantry/project/agent-yaml/bump-version.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Config } from '../registry/typed-config.ts';
import type { Session } from '../session/session.ts';

interface Named {
  name: string;
  team: string;
  config: Config;
}

export type Applied = 'added' | 'changed' | 'unchanged';

/** Creates the model, or gives it this config as a new version. */
export async function applyModel(session: Session, { name, team, config }: Named): Promise<Applied> {
  const params = { kind: 'model', name } as const;
  const before = await session.call('registry.show', { params }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  });
  if (before === undefined) {
    await session.call('registry.create', { params: { kind: 'model' }, body: { name, team, config } });
    return 'added';
  }
  if (isDeepStrictEqual(before.config, config)) return 'unchanged';
  const version = nextVersion(before.latest_version ?? '0.0.0', 'patch') ?? '1.0.0';
  await session.call('registry.edit', { params, body: { version, config } });
  return 'changed';
}
