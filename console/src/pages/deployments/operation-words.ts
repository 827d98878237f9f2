// An operation of an agent, in words.
import type { Deployment, Operation } from '@gantry/contract/agents/deploy.ts';

export const operationNouns: Record<Operation, string> = {
  deploy: 'Deploy',
  rollback: 'Rollback',
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  scale: 'Scale',
};

type Named = Pick<Deployment, 'operation' | 'agent' | 'version'>;

export function titleOf({ operation, agent, version }: Named): string {
  if (operation === 'rollback') return `Rollback of ${agent} to ${version}`;
  return `${operationNouns[operation]} of ${agent} ${version}`;
}

/** For the page of the agent. */
export function shortTitleOf({ operation, version }: Named): string {
  return operation === 'rollback' ? `Rollback to ${version}` : `${operationNouns[operation]} of ${version}`;
}

/** The state after a successful operation. */
export const results: Record<Operation, string> = {
  deploy: 'answers',
  rollback: 'answers',
  start: 'runs again',
  stop: 'is stopped: its calls are refused',
  restart: 'has new containers',
  scale: 'has the wanted number of containers',
};

/** An operation of the past, for the mark of its time. */
export const pastWords: Record<Operation, (version: string) => string> = {
  deploy: (version) => `${version} was deployed`,
  rollback: (version) => `a rollback returned to ${version}`,
  start: (version) => `${version} was started`,
  stop: (version) => `${version} was stopped`,
  restart: (version) => `${version} was restarted`,
  scale: (version) => `${version} got another number of containers`,
};
