import type { RecordRefusal } from '../../governance/access/refused.ts';
import type { Ingress } from '../invoke/ingress.ts';
import type { Worker } from '../../ground/runs/worker.ts';
import type { RunReaders } from './runs/run-readers.ts';

export interface OrchestrationParts {
  /** For the calls of members. */
  ingress: Ingress;
  recordRefusal: RecordRefusal;
  readers: RunReaders;
}

export interface Orchestrations extends OrchestrationParts {
  /** The worker of this process. Throws before it has started. */
  worker: () => Worker;
}
