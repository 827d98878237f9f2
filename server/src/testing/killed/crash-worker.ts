// A worker in a separate process, which the tests kill and suspend at any point of a run. Started as
// `node crash-worker.ts <settings as JSON>`; reports events as lines of JSON.
import { openDatabase, type Connection } from '../../ground/database/database.ts';
import { storyKind, type Trap } from './story.ts';
import { startWorker, type WorkerSettings } from '../../ground/runs/worker.ts';

export interface CrashWorkerSettings {
  connection: Connection;
  owner: string;
  /** By default the worker's own. */
  times: Pick<WorkerSettings, 'lease_ms' | 'poll_ms'>;
  trap: Trap | undefined;
}

const { connection, owner, times, trap } = JSON.parse(process.argv[2] ?? '') as CrashWorkerSettings; // given by the tests
const db = openDatabase(connection);
await startWorker(
  db,
  { story: storyKind(trap) },
  {
    owner,
    ...times,
    onError: (error) => say({ error: error instanceof Error ? error.name : 'unknown' }),
  },
);
say({ ready: true });

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
