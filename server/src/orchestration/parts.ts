import type { RecordRefusal } from '../access/refused.ts';
import type { Ingress } from '../invoke/ingress.ts';
import type { Worker } from '../runs/worker.ts';
import type { RunReaders } from './run-readers.ts';

export interface OrchestrationParts {
  /** For the calls of members. */
  ingress: Ingress;
  recordRefusal: RecordRefusal;
  readers: RunReaders;
}

export interface Orchestrations extends OrchestrationParts {
  /** Of this process. Throws before it has started. */
  worker: () => Worker;
}
