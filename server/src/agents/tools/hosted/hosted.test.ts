// Hosted MCP servers as real programs with real streams, without their walls: which program a call reaches, and when programs start and end.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { hostedStage, type HostedCaller, type HostedStage } from '../../../testing/agents/hosted-stage.ts';
import { sideProgramsOfTest, type SideProgramsOfTest } from '../../../testing/servers/side-programs.ts';
import { sweepSides } from './sweep.ts';

const limits = { most: 3, memory_bytes: 2 ** 28, start_ms: 30_000, idle_ms: 600_000 };
const secret = 'the-token-of-the-side';
const lines: string[] = [];
let programs: SideProgramsOfTest;
let stage: HostedStage;
let bob: string;
beforeAll(async () => {
  programs = await sideProgramsOfTest();
  stage = await hostedStage({
    hosted: programs,
    config: { secrets: ['SIDE_TOKEN'], env_vars: { PLACE: 'here' } },
    secrets: { SIDE_TOKEN: secret },
    app: { hosted: limits },
    onLog: (line) => lines.push(line),
  });
  ({ email: bob } = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } }));
});
afterAll(async () => {
  await stage?.close();
  expect(programs.running.size).toBe(0);
});

let open: HostedCaller[] = [];
const caller = async (email = stage.ada.email) => {
  const made = await stage.caller(email);
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const one of open) await one.close();
  open = [];
});

const ada = async () => await stage.ada.client.call('tools.show', { params: { name: 'side' } });
const look = async () => await stage.ada.client.call('tools.look', { params: { name: 'side' } });
const rows = async () => await stage.app.db.all<{ id: string }>(sql`select id from side_container`);
const egress = async (setting: string) =>
  await stage.app.governed(sql`update org set agent_egress = ${setting} returning id`);
/** No program of an earlier test is left. */
const ended = async () => {
  for (const { id } of await rows()) await stage.app.db.run(sql`delete from side_container where id = ${id}`);
};

test('the pin covers the image: its digest, what is in it, and who shares it are shown', async () => {
  const { hosted, pinned } = await ada();
  const [digest] = programs.images;
  expect(hosted).toMatchObject({
    package: 'pypi:side==1.0',
    image: digest,
    components: [{ name: 'side', version: '1.0' }],
    egress: [],
    share: 'caller',
  });
  expect(pinned?.tools.map(({ name }) => name)).toContain('keep');
  expect(programs.built).toEqual(['lock side', 'build side']);
});

test('a server with a list of destinations does not run where agents reach only the gateway', async () => {
  const body = { name: 'reaching', team: 'ml', config: { package: 'pypi:side==1.0', egress: ['api.example.com:443'] } };
  await stage.ada.client.call('registry.create', { params: { kind: 'mcp-server' }, body });
  await egress('gateway_only');
  const refused = stage.ada.client.call('tools.look', { params: { name: 'reaching' } });
  await expect(refused).rejects.toMatchObject({ code: 'egress_refused' });
  await egress('listed');
});

test('to its owner, a server that does not start shows what it wrote, without its secrets', async () => {
  const config = { package: 'pypi:side==1.0', env_vars: { FAIL: 'no licence' }, secrets: ['SIDE_TOKEN'] };
  await stage.ada.client.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: { name: 'failing', team: 'ml', config },
  });
  await expect(stage.ada.client.call('tools.look', { params: { name: 'failing' } })).rejects.toMatchObject({
    code: 'server_unavailable',
    detail: expect.stringContaining('it ended with exit code 1') as string,
    fields: { output: 'cannot start with no licence' },
  });
});

test('a server that names a command is not callable until it names a package', async () => {
  await stage.ada.client.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: { name: 'commanded', team: 'ml', config: { command: 'files-server' } },
  });
  await expect(stage.ada.client.call('tools.look', { params: { name: 'commanded' } })).rejects.toMatchObject({
    code: 'not_callable',
    hint: expect.stringContaining('package: pypi:') as string,
  });
});

test('two calls of one caller meet in a program, and two callers do not', async () => {
  const [one, other] = [await caller(), await caller(bob)];
  expect(await one.call('keep', 'plan')).toMatchObject({ text: 'plan', isError: false });
  expect(await one.call('keep', 'more')).toMatchObject({ text: 'plan,more' });
  expect(await other.call('keep', 'mine')).toMatchObject({ text: 'mine' });
  expect((await ada()).hosted?.running).toBe(2);
  expect(new Set((await rows()).map(({ id }) => id))).toEqual(new Set(programs.running.keys()));
});

test('a program gets its variables and secrets, and what it writes to stderr is logged without them', async () => {
  const one = await caller();
  const { variables } = JSON.parse((await one.call('look')).text) as { variables: Record<string, string> };
  // The service hides the secret in an answer, so this says that the program has it.
  expect(variables).toMatchObject({ PLACE: 'here', SIDE_TOKEN: '***' });
  await one.call('say', `my token is ${secret}`);
  await expect.poll(() => lines.some((line) => line.includes('my token is ***'))).toBe(true);
  expect(lines.join('\n')).not.toContain(secret);
});

test('an answer with an error, and text that is no message, leave the program as it is', async () => {
  const one = await caller();
  expect(await one.call('keep', 'here')).toMatchObject({ isError: false });
  const refused = await one.call('keep', 'an error');
  expect(refused).toMatchObject({ isError: true, code: 'server_unavailable' });
  expect(refused.text).toContain('no such method');
  expect(await one.call('rubbish', 'fine')).toMatchObject({ text: 'fine' });
  expect((await one.call('keep', 'still')).text).toMatch(/here,still$/);
});

test.each([
  ['end', 'it ended with exit code 3'],
  ['line', 'it prints a line of more than'],
  ['flood', 'it prints text that is not of the protocol'],
  ['notify', 'it prints more than'],
])('a program that misbehaves (%s) ends, and the next call has a new one', async (tool, why) => {
  const one = await caller();
  await one.call('keep', 'lost');
  const failed = await one.call(tool);
  expect(failed).toMatchObject({ isError: true, code: 'server_unavailable' });
  expect(failed.text).toContain(why);
  expect(await one.call('keep', 'new')).toMatchObject({ text: 'new' });
});

test('a caller who no longer waits ends no program that still answers', async () => {
  const one = await caller();
  await one.call('keep', 'kept');
  await expect(one.call('sleep', '1', AbortSignal.timeout(200))).rejects.toThrow();
  expect((await one.call('keep', 'on')).text).toMatch(/kept,on$/);
});

test('a full installation refuses another program, and says what helps', async () => {
  const others = await Promise.all(
    ['cy', 'di', 'ed'].map(async (name) => {
      const { email } = await stage.app.user(`${name}@example.com`, { teams: { ml: 'viewer' } });
      return await caller(email);
    }),
  );
  const answers = await Promise.all(others.map(async (one) => await one.call('keep', 'x')));
  const refused = answers.filter(({ isError }) => isError);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ code: 'servers_full' });
  expect(refused[0]?.text).toContain('svc server set TOOL_SERVERS=');
  expect((await rows()).length).toBeLessThanOrEqual(limits.most);
});

test('what a killed process has left is removed: its containers, and those without a row', async () => {
  const spec = [...programs.running.values()][0];
  if (spec === undefined) throw new Error('there is no program');
  const left = crypto.randomUUID();
  const stray = crypto.randomUUID();
  await stage.app.db.run(sql`
    insert into side_container (id, server_id, server_version, owner, lease_until)
    values (${left}, ${left}, '1.0.0', 'a killed process', clock_now() - interval '1 s')`);
  const mine = [...programs.running.keys()];
  for (const id of [left, stray]) await programs.runner.start({ ...spec, id }, AbortSignal.timeout(10_000));
  await sweepSides(stage.app.db, programs.runner, AbortSignal.timeout(10_000));
  expect([...programs.running.keys()]).toEqual(mine);
  expect((await rows()).map(({ id }) => id)).not.toContain(left);
});

test('a process whose lease is lost ends its program', async () => {
  const one = await caller();
  await ended();
  await expect.poll(() => programs.running.size, { timeout: 30_000 }).toBe(0);
  expect(await one.call('keep', 'again')).toMatchObject({ text: 'again' });
}, 60_000);

test('after a restart the same image runs, and an image that the engine has lost is built again from its lock', async () => {
  const { hosted } = await ada();
  programs.images.clear();
  programs.built.length = 0;
  const { email } = await stage.app.user('fay@example.com', { teams: { ml: 'viewer' } });
  expect(await (await caller(email)).call('keep', 'x')).toMatchObject({ isError: false });
  expect(programs.built).toEqual(['build side']);
  expect([...programs.images]).toEqual([hosted?.image]);
});

test('a lost image whose lock gives another one is refused until a person pins that', async () => {
  programs.images.clear();
  programs.salt = 'other';
  const { email } = await stage.app.user('gus@example.com', { teams: { ml: 'viewer' } });
  const one = await caller(email);
  const refused = await one.call('keep', 'x');
  expect(refused).toMatchObject({ isError: true, code: 'not_callable' });
  expect(refused.text).toContain('svc mcp pin side');
  const { seen, pinned, added, changed } = await look();
  expect(seen?.digest).not.toBe(pinned?.digest);
  expect({ added, changed }).toEqual({ added: [], changed: [] });
  await stage.ada.client.call('tools.pin', { params: { name: 'side' }, body: { digest: seen?.digest ?? '' } });
  expect(await one.call('keep', 'x')).toMatchObject({ text: 'x' });
});
