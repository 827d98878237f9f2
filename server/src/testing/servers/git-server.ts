// Real Git: the program `git` makes a repository, and its own program for HTTP serves it.
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { answeringServer } from './answering-server.ts';

const run = promisify(execFile);
const who = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

export interface GitServer {
  /** Of the repository. */
  url: string;
  host: string;
  /** Runs `git` in the repository. */
  git(...argv: string[]): Promise<string>;
  /** Writes these files, and commits all. Returns the id of the commit. */
  commit(files: Record<string, string | Uint8Array>): Promise<string>;
  /** From now on, requests need this header. */
  protect(authorization: string): void;
  asked: { url: string; authorization: string | undefined }[];
}

export async function gitServer(): Promise<GitServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-git-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...who, GIT_CONFIG_NOSYSTEM: '1', HOME: folder };
  const tree = join(folder, 'docs.git');
  const git = async (...argv: string[]) => (await run('git', argv, { cwd: tree, env })).stdout.trim();
  await mkdir(tree);
  await git('init', '--quiet', '--initial-branch=main');
  const asked: GitServer['asked'] = [];
  let authorization: string | undefined;
  const program = join((await git('--exec-path')).trim(), 'git-http-backend');
  const server = await answeringServer((request, response) => {
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization });
    if (authorization !== undefined && request.headers.authorization !== authorization) response.writeHead(401).end();
    else answerByProgram(program, { root: folder, env }, request, response);
  });
  return {
    url: `${server}/docs.git`,
    host: new URL(server).host,
    git,
    commit: async (files) => {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(tree, path)), { recursive: true });
        await writeFile(join(tree, path), content);
      }
      await git('add', '--all', '--force');
      await git('commit', '--quiet', '--message=docs');
      return await git('rev-parse', 'HEAD');
    },
    protect: (header) => {
      authorization = header;
    },
    asked,
  };
}

/** RFC 3875. */
function answerByProgram(
  path: string,
  { root, env }: { root: string; env: Record<string, string> },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
  const program = spawn(path, [], {
    env: {
      ...env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(program.stdin);
  const said: Buffer[] = [];
  program.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  program.on('close', () => {
    const all = Buffer.concat(said);
    const end = all.indexOf('\r\n\r\n');
    const lines = all.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string])); // RFC 3875, 6.3
    const { Status: status = '200', ...others } = headers;
    response.writeHead(Number.parseInt(status, 10), others).end(all.subarray(end + 4));
  });
}
