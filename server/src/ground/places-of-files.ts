// Every file that the service finds by its place beside the code, and does not import. A bundle or a package has them at other places, and
// only this file changes then. Before the first TypeScript file is read, server/start.js finds the compile cache by itself.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const clone = join(import.meta.dirname, '../../..');
const source = join(clone, 'server/src');

export const places = {
  /** The numbered SQL of migrate.ts. */
  migrations: join(clone, 'server/migrations'),
  /** The build of the console. */
  console: join(clone, 'console/dist'),
  /** The Python package that each image of an agent contains. */
  wrapper: join(clone, 'wrapper/_svc_wrapper'),
  /** The Python package that reads documents in a container. */
  reader: join(clone, 'reader/_svc_reader'),
  /** The prices of known models. */
  prices: join(source, 'models/gateway/prices/table.json'),
  /** The program of the thread that unpacks an archive. */
  unpack_worker: pathToFileURL(join(source, 'assets/registry/archive/unpack-worker.ts')),
  /** The program of the process that decides rules on calls of tools, and that of its thread. */
  rule_process: pathToFileURL(join(source, 'assets/registry/call-rules/rule-process.ts')),
  rule_worker: pathToFileURL(join(source, 'assets/registry/call-rules/rule-worker.ts')),
  /** The program of the thread that compares vectors. */
  vector_worker: pathToFileURL(join(source, 'agents/knowledge/search/vector-worker.ts')),
  /** The program of the process that reads a Git repository, and that of the thread that watches it. */
  git_process: pathToFileURL(join(source, 'agents/knowledge/sources/git/git-process.ts')),
  git_watch_worker: pathToFileURL(join(source, 'agents/knowledge/sources/git/git-watch-worker.ts')),
  /** The program of the thread that verifies a chain. */
  check_worker: pathToFileURL(join(source, 'governance/proof/verification/check-worker.ts')),
} as const;
