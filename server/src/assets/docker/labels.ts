import type { Engine } from './client.ts';

/** The labels for the owner of an object in the engine. */
export const label = {
  installation: 'gantry.installation',
  purpose: 'gantry.purpose',
  agent: 'gantry.agent',
  revision: 'gantry.revision',
  instance: 'gantry.instance',
  run: 'gantry.run',
  fence: 'gantry.fence',
  egress: 'gantry.egress',
  dependencies: 'gantry.dependencies',
  installed: 'gantry.installed',
} as const;

export interface RunLabel {
  run_id: string;
  fence: number;
}

export type Labels = Record<string, string>;

export function labelsFor(engine: Engine, purpose: string, run?: RunLabel): Labels {
  return {
    [label.installation]: engine.installation_id,
    [label.purpose]: purpose,
    ...(run === undefined ? {} : { [label.run]: run.run_id, [label.fence]: String(run.fence) }),
  };
}

/** The filter for this installation's objects of one purpose. */
export function ownedBy(engine: Engine, purpose: string): { label: string[] } {
  return { label: [`${label.installation}=${engine.installation_id}`, `${label.purpose}=${purpose}`] };
}

/** A short, stable mark of the installation. All installations on an engine or a machine share its names. */
export function mark({ installation_id }: Pick<Engine, 'installation_id'>): string {
  return installation_id
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase()
    .slice(0, 8);
}
