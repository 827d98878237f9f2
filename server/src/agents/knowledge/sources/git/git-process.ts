// The process that reads one repository. What a server sends is hostile: packs that unpack to more than any memory, and deltas of deltas. Such a repository ends
// this process and no more. It has no environment, no network and no secret. The service makes its requests.
import { Worker } from 'node:worker_threads';
import git, { Errors, type GitHttpRequest, type GitHttpResponse } from 'isomorphic-git';
import { places } from '../../../../ground/places-of-files.ts';
import { most_file_bytes, tooLargeFile } from '../limits.ts';
import { GitUnreadable } from './git-unreadable.ts';
import { listFiles, type Store } from './list-files.ts';
import { memoryFiles } from './memory-files.ts';
import type { FromProcess, GitListing, ToProcess } from './messages.ts';

/** The library keeps each object that it has read as long as its cache. */
const most_cached_bytes = 64 * 1024 * 1024;

const store: Store & { cache: object } = { fs: memoryFiles(), gitdir: '/git', cache: {} };
let cached = 0;

/** Chunks of the answer that is read now. */
const arrived: ToProcess[] = [];
let arrives = Promise.withResolvers<void>();

process.on('message', (message: ToProcess) => {
  if (message.kind === 'open') answer(async () => ({ kind: 'listed', listing: await open(message) }));
  else if (message.kind === 'read') answer(async () => ({ kind: 'blob', bytes: await read(message.oid) }));
  else {
    arrived.push(message);
    arrives.resolve();
  }
});
process.on('disconnect', () => process.exit(0));
const watch = new Worker(places.git_watch_worker, { env: {} });
watch.on('exit', () => process.exit(1));
say({ kind: 'ready' });

async function open({ url, ref, folder }: Extract<ToProcess, { kind: 'open' }>): Promise<GitListing> {
  // The library asks for a remote, and keeps the refs of it.
  await git.addRemote({ ...store, remote: 'origin', url });
  const fetched = await git
    .fetch({ ...store, http: { request }, url, ref, depth: 1, singleBranch: true, tags: false })
    .catch(noBranch);
  if (fetched.fetchHead === null) throw new GitUnreadable('it has no commit yet');
  // A tag names an object of its own.
  const { oid: commit } = await git.readCommit({ ...store, oid: fetched.fetchHead });
  return { commit, entries: await listFiles(store, { commit, folder }) };
}

function noBranch(error: unknown): never {
  throw error instanceof Errors.NotFoundError ? new GitUnreadable('it has no such branch or tag') : error;
}

async function read(oid: string): Promise<Uint8Array> {
  const { blob } = await git.readBlob({ ...store, oid });
  cached += blob.length;
  if (cached > most_cached_bytes) [store.cache, cached] = [{}, 0];
  if (blob.length > most_file_bytes) throw new GitUnreadable(tooLargeFile);
  return blob;
}

/** One at a time, through the service. */
async function request({ method, body }: GitHttpRequest): Promise<GitHttpResponse> {
  const sent = Buffer.concat(body === undefined ? [] : await Array.fromAsync(body));
  say({ kind: 'request', asked: method === 'POST' ? { of: 'pack', body: sent } : { of: 'refs' } });
  const head = await next();
  if (head.kind !== 'head') throw new Error('an answer begins with its head');
  return { url: '', statusCode: 200, statusMessage: 'OK', headers: head.headers, body: chunks() };
}

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let one = await next(); one.kind === 'chunk'; one = await next()) yield one.bytes;
}

async function next(): Promise<ToProcess> {
  for (;;) {
    const one = arrived.shift();
    if (one !== undefined) return one;
    await arrives.promise;
    arrives = Promise.withResolvers();
  }
}

function answer(work: () => Promise<FromProcess>): void {
  work().then(say, (error: unknown) => say({ kind: 'failed', reason: reasonOf(error) }));
}

function say(message: FromProcess): void {
  process.send?.(message);
}

/** The messages of the library have texts of the server in them. */
function reasonOf(error: unknown): string {
  if (error instanceof GitUnreadable) return error.message;
  if (error instanceof Errors.SmartHttpError || error instanceof Errors.ParseError)
    return 'it answers with no Git repository';
  if (error instanceof Errors.RemoteCapabilityError) return 'its server cannot send one commit alone';
  if (error instanceof Errors.UnsafeFilepathError) return 'it has a name that leads out of its folder';
  return 'what it sends is no whole pack of Git';
}
