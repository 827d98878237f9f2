import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '@gantry/project/finding.ts';
import { beforeAll, expect, test } from 'vitest';
import { contributor } from './testing/answers.ts';
import { freshHome, runSvc } from './testing/run-svc.ts';
import { data, none, problem, scriptService } from './testing/scripted-service.ts';

const nobody = { SERVICE_URL: 'http://127.0.0.1:9' };
let home: string;
beforeAll(() => (home = freshHome()));

const user = { ...contributor, kind: 'user', allowed_assets: null };
const token = (access_token: string, must_change_password = false) =>
  data({
    access_token,
    token_type: 'bearer',
    must_change_password,
    expires_at: '2030-01-01T00:00:00Z',
    waiting_keys: [],
  });

test.each([
  ['an unknown command', ['valdate'], 'Did you mean validate?'],
  ['an unknown command of a group', ['team', 'creat', 'ml'], 'Did you mean create?'],
  ['an unknown flag', ['whoami', '--jsn'], 'Did you mean --json?'],
  ['a missing argument', ['invoke'], "missing required argument 'name'"],
  ['one argument too many', ['whoami', 'me'], 'too many arguments'],
  ['a value outside the choices', ['init', 'x', '--framework', 'autogen'], 'langgraph, crewai'],
  ['a time that is none', ['audit', '--since', 'yesterday'], '10m, 2h, 1d'],
  ['a number out of range', ['logs', 'greeter', '--tail', '-3'], '--tail'],
  ['a length of time without a unit', ['webhook', 'rotate', 'siem', '--grace', '90'], '30m, 24h, 7d'],
  ['a length of time that is too long', ['principal', 'rotate', 'ci', '--grace', '31d'], 'at most 30d'],
  ['help of an unknown command', ['help', 'deply'], 'Did you mean deploy?'],
  ['an address that is none', ['whoami', '--server', 'ftp://x'], 'not the address of a service'],
  ['a group without a command', ['team'], 'needs one of'],
])('%s is a misuse: exit 2, with a suggestion', async (_name, words, said) => {
  const { exit, stderr } = await runSvc(words, { home });
  expect(stderr).toContain(said);
  expect(exit).toBe(2);
});

test('help needs no server, no session and no network', async () => {
  const { exit, stdout } = await runSvc([], { home, env: nobody });
  expect(exit).toBe(0);
  for (const heading of ['Session:', 'Build and deploy:', 'Run:', 'Govern:', 'This machine:'])
    expect(stdout).toContain(heading);
  expect(stdout.split('\n').length).toBeLessThan(100);
});

test('help of a command names those below it', async () => {
  const { stdout } = await runSvc(['help', 'audit'], { home });
  for (const below of ['verify', 'export', 'prove']) expect(stdout).toMatch(new RegExp(`^  ${below} `, 'm'));
});

test('an unknown command of a group leads to the help of that group', async () => {
  const { exit, stderr } = await runSvc(['team', 'enlarge', 'ml'], { home });
  expect([exit, stderr]).toEqual([2, expect.stringContaining('hint: Run `svc team --help`.')]);
});

test('help of a command shows its permission and its examples', async () => {
  const { stdout } = await runSvc(['deploy', '--help'], { home });
  expect(stdout).toContain('Needs role deployer');
  expect(stdout).toContain('svc deploy agents/greeter@1.0.0 --plan');
});

test.each([
  ['help', '--help'],
  ['help team', 'team --help'],
  ['help webhook rotate', 'webhook rotate --help'],
  ['--json help delete greeter', 'delete --help'],
])('svc %s is svc %s', async (typed, same) => {
  const [asked, expected] = await Promise.all(
    [typed, same].map(async (words) => await runSvc(words.split(' '), { home, env: nobody })),
  );
  expect(asked).toEqual(expected);
  expect(asked).toMatchObject({ exit: 0, stdout: expect.stringContaining('Usage: svc') });
});

test('a grace is the same word and the same length of time for a key and for a secret', async () => {
  const id = user.id;
  await using service = await scriptService({
    'GET /api/v1/rbac/service-principals': data([{ id, name: 'ci' }]),
    [`POST /api/v1/rbac/service-principals/${id}/rotate-key`]: data({ id, name: 'ci', keys: [], key: 'k' }, 201),
    'POST /api/v1/webhooks/siem/rotate': data({ name: 'siem', secret: 's', previous_secret_until: null }),
  });
  const where = { home, env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } };
  for (const words of ['principal rotate ci --grace 2h', 'webhook rotate siem --grace 2h'])
    expect(await runSvc(words.split(' '), where)).toMatchObject({ exit: 0 });
  const sent = service.asked.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body) as unknown);
  expect(sent).toEqual([{ grace_seconds: 7200 }, { grace_seconds: 7200 }]);
});

test('svc diff shows the changes of two versions of one asset, and svc files a version’s files and their text', async () => {
  const files = [{ path: 'agent.py', bytes: 12, sha256: 'x' }];
  const diff = '--- a/agent.py\n+++ b/agent.py\n@@ -1,1 +1,1 @@\n-old\n+new\n';
  const changed = { path: 'agent.py', change: 'changed', before_bytes: 4, after_bytes: 4, diff, no_diff: null };
  const changes = { config: [], files: [changed], dependencies: [], base_image: null, reach: [], tools: [] };
  await using service = await scriptService({
    'GET /api/v1/registry/agent/greeter/difference': data({
      from: 'agents/greeter@1.0.0',
      to: 'agents/greeter@1.1.0',
      changes,
    }),
    'GET /api/v1/registry/agent/greeter/versions/1.0.0/files': data(files),
    'GET /api/v1/registry/agent/greeter/versions/1.0.0/file': data({ ...files[0], text: 'x = 1\n', no_text: null }),
  });
  const where = { home, env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } };
  const run = async (words: string) => await runSvc(words.split(' '), where);
  const compared = await run('diff agents/greeter@1.0.0 agents/greeter@1.1.0');
  expect([compared.exit, compared.stdout]).toEqual([0, expect.stringContaining('-old\n+new')]);
  expect(service.asked.at(-1)?.query).toBe('?from=1.0.0&to=1.1.0');
  expect((await run('diff agents/greeter@1.0.0 agents/other@1.1.0')).exit).toBe(2);
  expect((await run('files agents/greeter@1.0.0')).stdout).toContain('agent.py');
  expect((await run('files agents/greeter@1.0.0 agent.py')).stdout).toContain('x = 1');
});

test('without a session a command is refused with the sign-in command', async () => {
  await using service = await scriptService({ 'GET /api/v1/auth/me': problem(401, 'unauthenticated', 'Sign in') });
  const { exit, stderr } = await runSvc(['whoami'], { home, env: { SERVICE_URL: service.url } });
  expect(stderr).toContain(`You are not signed in to ${service.url}\nhint: Run \`svc login\``);
  expect(exit).toBe(1);
});

test('without a named service and a local one, the refusal names the expected one', async () => {
  const own = freshHome();
  const other = await runSvc(['whoami'], { home: own, env: { PORT: '4490' } });
  expect(other.stderr).toContain(
    `http://127.0.0.1:4490 cannot be reached, and no service runs on this machine with the data in ${own}/data`,
  );
  expect(other.stderr).toContain('hint: Run `svc server start`, or name the service: --server or SERVICE_URL.');
  const named = await runSvc(['whoami'], { home: own, env: nobody });
  expect([named.exit, named.stderr]).toEqual([3, expect.stringContaining(`${nobody.SERVICE_URL} cannot be reached\n`)]);
});

test('GANTRY_HOME alone separates an installation: its data, its settings and its port', async () => {
  const own = freshHome();
  const status = async (folder: string) => {
    const { stdout } = await runSvc(['server', 'status', '--json'], {
      home: own,
      env: { DATA_DIR: '', GANTRY_HOME: folder },
    });
    return (JSON.parse(stdout) as { data_directory: string }).data_directory;
  };
  expect(await status(path.join(own, 'second'))).toBe(path.join(own, 'second/data'));
  mkdirSync(path.join(own, 'third'));
  writeFileSync(path.join(own, 'third/server.env'), 'DATA_DIR=/elsewhere\nPORT=4491\n');
  expect(await status(path.join(own, 'third'))).toBe('/elsewhere');
  const asked = await runSvc(['whoami'], { home: own, env: { DATA_DIR: '', GANTRY_HOME: path.join(own, 'third') } });
  expect(asked.stderr).toContain('http://127.0.0.1:4491');
});

test('an unreachable server is exit 3, on this machine with the command that starts it', async () => {
  const { exit, stderr, stdout } = await runSvc(['whoami', '--json'], {
    home,
    env: { ...nobody, SERVICE_API_TOKEN: 't' },
  });
  expect(exit).toBe(3);
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toMatchObject({
    problem: { code: 'unreachable' },
    next: [{ command: 'svc server start' }],
  });
});

test('without a terminal there is no question: the error names the flag', async () => {
  expect((await runSvc(['login', '--store', 'file'], { home })).stderr).toContain('--email is needed');
  const { exit, stderr } = await runSvc(['login', '--store', 'file', '--email', 'ada@example.com'], { home });
  expect(stderr).toContain('--password is needed');
  expect(exit).toBe(2);
});

test('the token of a password that must be changed is never stored; the one after the change is', async () => {
  const own = freshHome();
  let changed = false;
  await using service = await scriptService({
    'POST /api/v1/auth/login': (...exchange) => (changed ? token('good') : token('flagged', true))(...exchange),
    'POST /api/v1/auth/change-password': (...exchange) => {
      changed = true;
      data(user)(...exchange);
    },
    'GET /api/v1/auth/me': data(user),
  });
  const sessions = path.join(own, '.config', 'gantry', 'sessions.json');
  const words = ['login', '--store', 'file', '--email', 'ada@example.com', '--password', 'seed'];
  const where = { home: own, env: { SERVICE_URL: service.url } };

  const refused = await runSvc(words, where);
  expect(refused.stderr).toContain('--new-password is needed');
  expect(refused.exit).toBe(2);
  expect(existsSync(sessions)).toBe(false);

  const { exit } = await runSvc([...words, '--new-password', 'much better'], where);
  expect(exit).toBe(0);
  expect(JSON.parse(readFileSync(sessions, 'utf8'))).toEqual({ [service.url]: 'good' });
  expect(service.asked.find(({ path: asked }) => asked.endsWith('change-password'))?.headers.authorization).toBe(
    'Bearer flagged',
  );
});

test('a given token is not stored while its password must be changed', async () => {
  const own = freshHome();
  await using service = await scriptService({ 'GET /api/v1/auth/me': data({ ...user, must_change_password: true }) });
  const { exit, stderr } = await runSvc(['login', '--token', 't', '--store', 'file'], {
    home: own,
    env: { SERVICE_URL: service.url },
  });
  expect(exit).toBe(1);
  expect(stderr).toContain('was not stored');
  expect(existsSync(path.join(own, '.config', 'gantry', 'sessions.json'))).toBe(false);
});

test('without a keychain login is refused with the alternatives', async () => {
  const { exit, stderr } = await runSvc(['login', '--email', 'ada@example.com', '--password', 'x'], {
    home: freshHome(),
    env: nobody,
  });
  expect(exit).toBe(1);
  expect(stderr).toContain('SERVICE_API_TOKEN');
  expect(stderr).toContain('--store file');
});

test('a mailed token comes from stdin or a prompt, and appears neither on the screen nor among the arguments', async () => {
  await using service = await scriptService({
    'POST /api/v1/auth/set-password': data({ email: 'ada@example.com' }),
  });
  const where = { home, env: { SERVICE_URL: service.url } };
  const unasked = await runSvc(['password', 'set'], where);
  expect(unasked.stderr).toContain('--token-file is needed');
  expect(unasked.exit).toBe(2);
  const words = ['password', 'set', '--token-file', '-', '--new-password', 'much better'];
  const { stdout, stderr, exit } = await runSvc(words, { ...where, stdin: 'gpw_token\n' });
  expect(exit).toBe(0);
  expect(stdout).toContain('ada@example.com has a new password');
  expect(stderr).toContain('svc login --email ada@example.com');
  expect(stdout + stderr).not.toContain('gpw_token');
  const sent = service.asked.at(-1);
  expect(JSON.parse(sent?.body ?? '')).toEqual({ token: 'gpw_token', new_password: 'much better' });
  expect(sent?.headers.authorization).toBeUndefined();
  const missing = await runSvc(['password', 'set', '--token-file', 'nowhere'], where);
  expect(missing.stderr).toContain('nowhere cannot be read');
});

test('a user invited by mail is shown as invited, without a password', async () => {
  const created = {
    ...user,
    active: true,
    created_at: '2030-01-01T00:00:00Z',
    mail_expires_at: '2030-01-04T00:00:00Z',
  };
  await using service = await scriptService({ 'POST /api/v1/users': data(created, 201) });
  const where = { home, env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } };
  const { stdout } = await runSvc(['user', 'create', 'ada@example.com'], where);
  expect(stdout).toContain('a mail to ada@example.com has a token to choose a password');
  expect(stdout).not.toContain('one-time');
  await runSvc(['user', 'create', 'ada@example.com', '--print-password'], where);
  expect(
    service.asked.map(({ body }) => (JSON.parse(body) as { one_time_password: boolean }).one_time_password),
  ).toEqual([false, true]);
});

test('whoami --json prints the user record and nothing else', async () => {
  await using service = await scriptService({ 'GET /api/v1/auth/me': data(user) });
  const { stdout, stderr, exit } = await runSvc(['whoami', '--json'], {
    home,
    env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' },
  });
  expect(JSON.parse(stdout)).toEqual(user);
  expect(JSON.parse(stderr)).toEqual({ next: [], person_must_act: false });
  expect(exit).toBe(0);
});

test('every signed-in request has the context, until it is cleared', async () => {
  const own = freshHome();
  await using service = await scriptService({ 'GET /api/v1/auth/me': data(user) });
  const where = { home: own, env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } };
  expect((await runSvc(['context', 'use', 'other'], where)).exit).toBe(2);
  expect((await runSvc(['context', 'use', 'default'], where)).exit).toBe(0);
  await runSvc(['whoami'], where);
  expect(service.asked.at(-1)?.headers['x-service-team']).toBe('default');
  await runSvc(['whoami', '--team', 'ml'], where);
  expect(service.asked.at(-1)?.headers['x-service-team']).toBe('ml');
  await runSvc(['context', 'clear'], where);
  await runSvc(['whoami'], where);
  expect(service.asked.at(-1)?.headers['x-service-team']).toBeUndefined();
});

test('svc token prints only the token, and no ended one', async () => {
  await using service = await scriptService({ 'GET /api/v1/auth/me': data(user) });
  const where = { home: freshHome(), env: { SERVICE_URL: service.url } };
  await runSvc(['login', '--token', 't.o-k_en', '--store', 'file'], where);
  expect(await runSvc(['token'], where)).toEqual({ exit: 0, stdout: 't.o-k_en\n', stderr: '' });
  await using over = await scriptService({ 'GET /api/v1/auth/me': problem(401, 'unauthenticated', 'It has ended') });
  const ended = await runSvc(['token'], { home, env: { SERVICE_URL: over.url, SERVICE_API_TOKEN: 'old' } });
  expect(ended).toMatchObject({ exit: 1, stdout: '' });
});

test('an admin can act for a team without membership, but not for a missing team', async () => {
  await using service = await scriptService({
    'GET /api/v1/auth/me': data({ ...user, role: 'admin' }),
    'GET /api/v1/teams/ml': data({ name: 'ml', members: [] }),
  });
  const where = { home: freshHome(), env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } };
  expect((await runSvc(['context', 'use', 'ml'], where)).exit).toBe(0);
  const refused = await runSvc(['context', 'use', 'nope'], where);
  expect(refused).toMatchObject({ exit: 2, stdout: '' });
  expect(refused.stderr).toContain('There is no team called nope\nhint: Yours: default.');
  expect((await runSvc(['context', 'show'], where)).stdout).toBe('ml\n');
});

test('an invalid token from the environment is refused with the name of the variable', async () => {
  await using service = await scriptService({
    'GET /api/v1/auth/me': problem(401, 'unauthenticated', 'Sign-in is needed'),
  });
  const { stderr, exit } = await runSvc(['whoami'], {
    home,
    env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 'old' },
  });
  expect(stderr).toContain('SERVICE_API_TOKEN is not accepted');
  expect(exit).toBe(1);
});

test('logout deletes the local session; only --revoke ends it on the service', async () => {
  const own = freshHome();
  await using service = await scriptService({ 'GET /api/v1/auth/me': data(user), 'POST /api/v1/auth/revoke': none });
  const where = { home: own, env: { SERVICE_URL: service.url } };
  await runSvc(['login', '--token', 't', '--store', 'file'], where);
  const before = service.asked.length;
  expect((await runSvc(['logout'], where)).stdout).toContain('stays valid until it expires');
  expect(service.asked.length).toBe(before);
  await runSvc(['login', '--token', 't', '--store', 'file'], where);
  expect((await runSvc(['logout', '--revoke'], where)).exit).toBe(0);
  expect(service.asked.at(-1)).toMatchObject({ path: '/api/v1/auth/revoke', headers: { authorization: 'Bearer t' } });
});

test('without an editor an asset is edited from a file; its faults are found locally, with line and column', async () => {
  const asset = {
    ref: 'tools/look',
    name: 'look',
    latest_version: '1.2.3',
    config: { type: 'function' },
    visibility: 'org',
  };
  await using service = await scriptService({
    'GET /api/v1/registry/tool/look': data(asset),
    'PUT /api/v1/registry/tool/look': data({ ...asset, latest_version: '1.3.0' }),
  });
  const where = { home, env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } };
  const nobodyEdits = await runSvc(['registry', 'tool', 'edit', 'look'], where);
  expect(nobodyEdits.stderr).toContain('--file is needed');
  expect(nobodyEdits.exit).toBe(2);
  const words = ['registry', 'tool', 'edit', 'look', '--file', '-', '--bump', 'minor'];
  const faulty = await runSvc(words, { ...where, stdin: 'type: http\nurl: https://example.com\nmetod: GET\n' });
  expect(faulty.stderr).toContain('stdin:3:1');
  expect(faulty.stderr).toContain('Did you mean `method`?');
  expect(faulty.exit).toBe(1);
  expect(service.asked.some(({ method }) => method === 'PUT')).toBe(false);
  const edited = await runSvc(words, { ...where, stdin: 'type: http\nurl: https://example.com\n' });
  expect(edited.stdout).toContain('+ url: https://example.com');
  expect(edited.stderr).toContain('undo: svc registry tool show look@1.2.3 --yaml');
  expect(JSON.parse(service.asked.at(-1)?.body ?? '')).toMatchObject({ version: '1.3.0', config: { type: 'http' } });
});

const gone = '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e11';
const listed = (item: object) => data([{ id: gone, ...item }]);
test.each([
  ['user remove ada@example.com', 'users', listed({ ...user, active: true })],
  ['team delete ml', 'teams/ml', data({ name: 'ml', members: [] })],
  ['group delete oncall', 'rbac/groups', listed({ name: 'oncall', team: 'ml', members: [] })],
  ['principal delete ci', 'rbac/service-principals', listed({ name: 'ci', team: 'ml', keys: [] })],
  ['webhook delete siem', 'webhooks/siem', data({ name: 'siem', url: 'https://example.com/', events: ['deploy'] })],
])('svc %s removes nothing without a confirmation or --yes', async (typed, path, found) => {
  const at = `/api/v1/${path}`;
  const deleted = [at, `${at}/${gone}`, `${at}/${user.id}`].map((each) => [`DELETE ${each}`, none] as const);
  await using service = await scriptService({ [`GET ${at}`]: found, ...Object.fromEntries(deleted) });
  const where = { home, env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } };
  const refused = await runSvc(typed.split(' '), where);
  expect(refused).toMatchObject({ exit: 2, stdout: '' });
  expect(refused.stderr).toContain('hint: Give --yes, or run this at a terminal.');
  expect(service.asked.some(({ method }) => method === 'DELETE')).toBe(false);
  expect(await runSvc([...typed.split(' '), '--yes'], where)).toMatchObject({ exit: 0 });
  expect(service.asked.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});

test('the log is not pruned without a confirmation or --yes', async () => {
  const { exit, stderr } = await runSvc(['audit', 'prune', '--before', '52w', '--reason', 'age'], {
    home,
    env: nobody,
  });
  expect(stderr).toContain('--yes is needed');
  expect(exit).toBe(2);
});

test('no text of a server can control the terminal', async () => {
  await using service = await scriptService({ 'GET /api/v1/auth/me': data({ ...user, name: '\u001b[2J\u202Eevil' }) });
  const { stdout } = await runSvc(['whoami'], { home, env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } });
  expect(stdout).toContain('\\u{1b}[2J\\u{202e}evil');
});

test.each([
  ['langgraph', []],
  ['crewai', []],
  ['langgraph', ['--template', 'chat', '--model', 'llama3-2']],
  ['crewai', ['--template', 'research', '--model', 'llama3-2']],
])(
  'svc init makes a %s project %j that validates, with the schema for editors in its first line',
  async (framework, more) => {
    const own = freshHome();
    const made = await runSvc(['init', 'my-agent', '--framework', framework, ...more, '--team', 'ml'], { home: own });
    expect(made.exit).toBe(0);
    const yaml = readFileSync(path.join(own, 'my-agent', 'agent.yaml'), 'utf8');
    expect(yaml).toMatch(
      /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:4480\/api\/v1\/schemas\/agent\.json\n/,
    );
    expect(yaml).toContain('name: my-agent\n');
    expect(yaml).toContain('team: ml\n');
    expect(/^ {2}primary: (.*)$/m.exec(yaml)?.[1]).toBe(more.at(-1));
    const { exit, stdout } = await runSvc(['validate', 'my-agent'], { home: own });
    expect(stdout).toContain('my-agent 1.0.0 can be deployed');
    expect(exit).toBe(0);
    expect((await runSvc(['init', 'my-agent', '--framework', framework], { home: own })).exit).toBe(2);
  },
);

test.each([
  [['init', 'bot', '--framework', 'crewai', '--template', 'chat'], 'crewai has no template chat'],
  [['init', '--template', 'chat'], 'for a new project, which needs a name'],
  [['init', 'bot', '--framework', 'crewai', '--model', 'gpt-4o'], 'A greeter calls no model'],
])('svc %j is refused before anything is written', async (line, sentence) => {
  const own = freshHome();
  const { exit, stderr } = await runSvc(line, { home: own });
  expect([exit, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  expect(existsSync(path.join(own, 'bot'))).toBe(false);
});

test('validate names every fault at once with line and column, and --fix applies the certain fixes', async () => {
  const own = freshHome();
  const project = path.join(own, 'p');
  mkdirSync(project);
  writeFileSync(path.join(project, 'agent.yaml'), 'name: greeter\nversion: 1.10\nteam: default\nframework: langraph\n');
  writeFileSync(path.join(project, 'agent.py'), 'graph = 1\n');
  const found = await runSvc(['validate', '--json'], { home: own, cwd: project });
  expect(found.exit).toBe(1);
  const { valid, findings } = JSON.parse(found.stdout) as { valid: boolean; findings: Finding[] };
  expect(valid).toBe(false);
  const errors = findings.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ file, line }) => `${file}:${line}`)).toEqual(
    expect.arrayContaining(['agent.yaml:2', 'agent.yaml:4']),
  );
  const fixed = await runSvc(['validate', '--fix'], { home: own, cwd: project });
  expect(fixed.stdout).toContain('- framework: langraph');
  expect(fixed.stdout).toContain('+ framework: langgraph');
  expect(readFileSync(path.join(project, 'agent.yaml'), 'utf8')).toContain('framework: langgraph\n');
});
