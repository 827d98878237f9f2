import { knowledgeBase } from '@gantry/project/asset-config/knowledge-base.ts';
import { expect, test } from 'vitest';
import { answeringServer } from '../../../../testing/servers/answering-server.ts';
import { gitServer, type GitServer } from '../../../../testing/servers/git-server.ts';
import { contentsOf, listAll, sourceContext } from '../../../../testing/sources/source-context.ts';
import { documentsOf } from '../documents-of.ts';

const documents = (server: GitServer, more: object = {}, given: Parameters<typeof sourceContext>[0] = {}) =>
  documentsOf(
    knowledgeBase.parse({ git: { repository: server.url, ...more } }),
    sourceContext({ private_hosts: [server.host], ...given }),
  );

test('the files of a branch, a tag and a commit are documents with their paths, and the commit is named', async () => {
  const server = await gitServer();
  const first = await server.commit({
    'readme.md': '# One',
    'docs/hr/leave.md': 'Take leave.',
    'docs/été 100%.txt': 'Summer',
  });
  await server.git('tag', '--annotate', '--message=first', 'v1');
  const second = await server.commit({ 'readme.md': '# Two', 'docs/new.md': 'New' });
  const commits: string[] = [];
  const onCommit = (commit: string) => void commits.push(commit);
  const all = { 'docs/hr/leave.md': 'Take leave.', 'docs/été 100%.txt': 'Summer' };
  expect(await contentsOf(documents(server, {}, { onCommit }))).toEqual({
    ...all,
    'docs/new.md': 'New',
    'readme.md': '# Two',
  });
  expect(await contentsOf(documents(server, { ref: 'main', folder: 'docs' }, { onCommit }))).toEqual({
    ...all,
    'docs/new.md': 'New',
  });
  expect(await contentsOf(documents(server, { ref: 'v1' }, { onCommit }))).toEqual({ ...all, 'readme.md': '# One' });
  expect(await contentsOf(documents(server, { ref: second, folder: 'docs/hr' }, { onCommit }))).toEqual({
    'docs/hr/leave.md': 'Take leave.',
  });
  expect(commits).toEqual([second, second, first, second]);
});

test('the mark of a file changes with its content alone', async () => {
  const server = await gitServer();
  await server.commit({ 'a.md': 'one', 'b/c.md': 'two' });
  const marks = async () => (await listAll(documents(server))).map((one) => 'mark' in one && one.mark);
  const before = await marks();
  expect(new Set(before).size).toBe(2);
  await server.commit({ 'a.md': 'another' });
  const after = await marks();
  expect(after[0]).not.toBe(before[0]);
  expect(after[1]).toBe(before[1]);
});

test('T546: a branch, a folder or a repository that is not there ends the refresh, and no address gives more than its reason', async () => {
  const server = await gitServer();
  const failing = async (more: object = {}) => await listAll(documents(server, more)).catch((error: unknown) => error);
  const told = (reason: string) => ({
    code: 'source_failed',
    detail: `The Git repository ${server.url} cannot be listed: ${reason}.`,
  });
  expect(await failing()).toMatchObject(told('it has no commit yet'));
  await server.commit({ 'a.md': 'a' });
  expect(await failing({ ref: 'gone' })).toMatchObject(told('it has no such branch or tag'));
  expect(await failing({ folder: 'gone' })).toMatchObject(told('it has no folder gone'));
  const nowhere = `${server.url}x`;
  expect(await failing({ repository: nowhere })).toMatchObject({
    detail: `The Git repository ${nowhere} cannot be listed: it answers 404: nothing is there, or \`secret\` must name a secret that opens it.`,
  });
});

test('T537: the token goes to the origin of the config alone', async () => {
  const server = await gitServer();
  await server.commit({ 'a.md': 'a' });
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const secrets = (GIT: string) => ({ secrets: { GIT } });
  server.protect(basic('ada:a-token'));
  expect(await contentsOf(documents(server, { secret: 'GIT' }, secrets('ada:a-token')))).toEqual({ 'a.md': 'a' });
  server.protect(basic('x-access-token:a-token'));
  expect(await contentsOf(documents(server, { secret: 'GIT' }, secrets('a-token')))).toEqual({ 'a.md': 'a' });
  await expect(listAll(documents(server, { secret: 'GIT' }, secrets('wrong')))).rejects.toMatchObject({
    detail: `The Git repository ${server.url} cannot be listed: it answers 401: nothing is there, or the secret GIT does not open it.`,
  });
  const elsewhere = await gitServer();
  await elsewhere.commit({ 'b.md': 'b' });
  const moved = await answeringServer(({ url = '' }, response) => {
    response.writeHead(301, { location: elsewhere.url + url }).end();
  });
  const private_hosts = [new URL(moved).host, elsewhere.host];
  const given = { private_hosts, ...secrets('a-token') };
  expect(await contentsOf(documents(server, { repository: moved, secret: 'GIT' }, given))).toEqual({ 'b.md': 'b' });
  expect(elsewhere.asked.length).toBeGreaterThan(1);
  expect(new Set(elsewhere.asked.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
});

test('T537: a repository in a private network is not asked, directly or through a redirect', async () => {
  const inside = await gitServer();
  await inside.commit({ 'a.md': 'a' });
  const outside = await answeringServer(({ url = '' }, response) => {
    response.writeHead(302, { location: inside.url + url }).end();
  });
  const private_hosts = [new URL(outside).host];
  for (const repository of [inside.url, outside])
    await expect(listAll(documents(inside, { repository }, { private_hosts }))).rejects.toThrow(
      `svc server set OUTBOUND_PRIVATE_HOSTS+=${inside.host}`,
    );
  expect(inside.asked).toEqual([]);
});

test('a refresh that ends takes the process of its repository with it', async () => {
  const ended = new AbortController();
  const url = await answeringServer(() => ended.abort(new Error('the refresh has ended')));
  const server = await gitServer();
  const given = { private_hosts: [new URL(url).host], signal: ended.signal };
  await expect(listAll(documents(server, { repository: url }, given))).rejects.toThrow('the refresh has ended');
});
