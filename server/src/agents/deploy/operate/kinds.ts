import type { RunKinds } from '../../../ground/runs/run.ts';
import type { DeployParts } from '../parts.ts';
import { releaseKind } from './release.ts';
import { restartKind } from './restart.ts';
import { rollbackKind } from './rollback.ts';
import { scaleKind } from './scale.ts';
import { startKind } from './start.ts';
import { stopKind } from './stop.ts';

export function operationKinds(parts: DeployParts): RunKinds {
  return {
    rollback: rollbackKind(parts),
    start: startKind(parts),
    stop: stopKind(parts),
    restart: restartKind(parts),
    scale: scaleKind(parts),
    release: releaseKind(parts),
  };
}
