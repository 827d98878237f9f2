// Reads a file without end, in a separate process that the tests kill: `node reading-worker.ts <settings as JSON>`.
import { connectEngine } from '../../assets/docker/client.ts';
import { readBatch } from '../../agents/knowledge/reading/read-batch.ts';

interface ReadingSettings {
  installation_id: string;
  docker_host: string;
  image: string;
}

const { image, ...engine } = JSON.parse(process.argv[2] ?? '') as ReadingSettings; // given by the tests
const main = 'import time\nprint("ready", flush=True)\ntime.sleep(600)\n';
await readBatch(
  {
    engine: connectEngine(engine),
    image,
    files: new Map([
      ['__init__.py', Buffer.from('')],
      ['__main__.py', Buffer.from(main)],
    ]),
    limits: { seconds: 100, memory_bytes: 100_000_000 },
  },
  [{ path: 'a.csv', media_type: 'text/csv', bytes: Buffer.from('a'), kind: 'csv' }],
  AbortSignal.timeout(600_000),
);
