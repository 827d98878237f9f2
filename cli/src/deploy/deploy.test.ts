import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { expect, test } from 'vitest';
import { contributor, pendingApproval } from '../testing/answers.ts';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, problem, scriptService } from '../testing/scripted-service.ts';

const id = '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10';
const ref = 'agents/greeter@1.0.0';
const deployment: Deployment = {
  id,
  operation: 'deploy',
  ref,
  agent: 'greeter',
  version: '1.0.0',
  digest: 'sha256:abc',
  target: 'local',
  instances: null,
  state: 'queued',
  actor: 'ada@example.com',
  approval_id: null,
  endpoint: null,
  example_input: null,
  audit_seq: null,
  cost: null,
  notices: [],
  problem: null,
  steps: [],
  created_at: '2026-01-31T12:00:00Z',
  ended_at: null,
};

const list = (items: unknown[]) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: items, meta: {} }));
let seq = 0;
const event = (more: Partial<RunEvent>): RunEvent => ({
  seq: ++seq,
  at: '2026-01-31T12:00:00Z',
  kind: 'log',
  step: null,
  state: null,
  message: '',
  data: {},
  ...more,
});
const stream =
  (events: RunEvent[], end = true) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const each of events)
      response.write(printServerSentEvent({ id: String(each.seq), data: JSON.stringify(each) }));
    if (end) response.end();
  };
const signedIn = (url: string): Record<string, string> => ({ SERVICE_URL: url, SERVICE_API_TOKEN: 't' });

const started = {
  'POST /api/v1/deployments': data(deployment, 202),
  'GET /api/v1/deployments': list([]),
};
const twoSteps = [
  event({ kind: 'step', step: 'validate', state: 'running' }),
  event({ kind: 'step', step: 'validate', state: 'done', at: '2026-01-31T12:00:01Z' }),
  event({ kind: 'step', step: 'build', state: 'running' }),
  event({ kind: 'log', step: 'build', message: 'resolving langgraph' }),
];

test('a deploy ends with a receipt, and the build stays folded', async () => {
  await using service = await scriptService({
    ...started,
    [`GET /api/v1/deployments/${id}/events`]: stream([
      ...twoSteps,
      event({ kind: 'step', step: 'build', state: 'done', at: '2026-01-31T12:00:04Z' }),
      event({ kind: 'end', state: 'done' }),
    ]),
    [`GET /api/v1/deployments/${id}`]: data({
      ...deployment,
      state: 'done',
      approval_id: pendingApproval.id,
      audit_seq: 17,
      cost: {
        today_usd: '0.42',
        month_usd: '3.10',
        cap: { of: 'team:ml', window: 'month', limit_usd: '5.00', spent_usd: '3.10', percent: 62 },
      },
      endpoint: 'http://127.0.0.1:4480/agents/greeter',
      example_input: { topic: "it's" },
    }),
  });
  const { exit, stdout, stderr } = await runSvc(['deploy', ref], { home: freshHome(), env: signedIn(service.url) });
  expect(exit).toBe(0);
  expect(stderr).toContain('✓ 1/8 validate  1.0 s');
  expect(stderr).toContain('✓ 4/8 build  4.0 s');
  expect(stderr).not.toContain('resolving langgraph');
  for (const part of [
    'http://127.0.0.1:4480/agents/greeter',
    'sha256:abc',
    pendingApproval.id,
    "62 % of team:ml's month ($5.00)",
  ])
    expect(stdout).toContain(part);
  expect(stderr).toContain(String.raw`svc invoke greeter '{"topic":"it'\''s"}'`);
  expect(stderr).toContain('undo: svc stop greeter');
  // One number, which `svc audit --entry` takes.
  expect(stderr.match(/governance\/\d+/g)).toEqual(['governance/17']);
});

test('the undo of a deploy is the previous version', async () => {
  const earlier = {
    ...deployment,
    id: pendingApproval.id,
    operation: 'deploy',
    ref: 'agents/greeter@0.9.0',
    state: 'done',
    created_at: '2026-01-30T12:00:00Z',
  };
  await using service = await scriptService({
    ...started,
    'GET /api/v1/deployments': list([earlier]),
    [`GET /api/v1/deployments/${id}/events`]: stream([event({ kind: 'end', state: 'done' })]),
    [`GET /api/v1/deployments/${id}`]: data({ ...deployment, state: 'done' }),
  });
  const { stderr } = await runSvc(['deploy', ref], { home: freshHome(), env: signedIn(service.url) });
  expect(stderr).toContain('undo: svc rollback greeter\n');
});

test('the undo of a deploy on one of several targets names its target', async () => {
  const elsewhere = { ...deployment, id: pendingApproval.id, state: 'done', created_at: '2026-01-30T12:00:00Z' };
  await using service = await scriptService({
    ...started,
    'GET /api/v1/deployments': list([{ ...elsewhere, target: 'remote' }]),
    [`GET /api/v1/deployments/${id}/events`]: stream([event({ kind: 'end', state: 'done' })]),
    [`GET /api/v1/deployments/${id}`]: data({ ...deployment, state: 'done' }),
  });
  const { stderr } = await runSvc(['deploy', ref], { home: freshHome(), env: signedIn(service.url) });
  expect(stderr).toContain('undo: svc stop greeter --target local');
});

test('a failed step shows its output, and the deploy fails with the problem of that step', async () => {
  await using service = await scriptService({
    ...started,
    [`GET /api/v1/deployments/${id}/events`]: stream([
      ...twoSteps,
      event({ kind: 'step', step: 'build', state: 'failed' }),
      event({ kind: 'end', state: 'failed' }),
    ]),
    [`GET /api/v1/deployments/${id}`]: data({
      ...deployment,
      state: 'failed',
      problem: { code: 'dependency_conflict', detail: 'pydantic<2 conflicts', hint: 'Widen it.' },
    }),
  });
  const { exit, stdout, stderr } = await runSvc(['deploy', ref], { home: freshHome(), env: signedIn(service.url) });
  expect(exit).toBe(1);
  expect(stderr).toContain('│ resolving langgraph');
  expect(stderr).toContain('✗ pydantic<2 conflicts\nhint: Widen it.');
  expect(stdout).toBe('');
});

test('with --json every event is a line, and the last line is the deployment', async () => {
  await using service = await scriptService({
    ...started,
    [`GET /api/v1/deployments/${id}/events`]: stream([...twoSteps, event({ kind: 'end', state: 'done' })]),
    [`GET /api/v1/deployments/${id}`]: data({ ...deployment, state: 'done' }),
  });
  const { stdout, stderr } = await runSvc(['deploy', ref, '--json'], { home: freshHome(), env: signedIn(service.url) });
  const lines = stdout
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as Record<string, unknown>);
  expect(lines.map(({ kind }) => kind)).toEqual(['step', 'step', 'step', 'log', 'end', undefined]);
  expect(lines.at(-1)).toMatchObject({ id, state: 'done' });
  expect(stderr.trim().split('\n').length).toBe(1);
});

test('without an approval a deploy ends at once with exit 4, and names the deciders and the waiting time', async () => {
  await using service = await scriptService({
    'POST /api/v1/deployments': problem(409, 'approval_required', 'agents/greeter@1.0.0 has no approval'),
    'GET /api/v1/rbac/approvals': list([pendingApproval]),
  });
  const { exit, stderr } = await runSvc(['deploy', ref], { home: freshHome(), env: signedIn(service.url) });
  expect(exit).toBe(4);
  expect(stderr).toContain('root@example.com');
  expect(stderr).toContain('2026-01-31T11:00:00Z by ada@example.com');
  expect(stderr).toContain(`svc review approve ${pendingApproval.id}`);
});

test('without a request, the refusal names the command that submits one', async () => {
  await using service = await scriptService({
    'POST /api/v1/deployments': problem(409, 'approval_required', 'no approval'),
    'GET /api/v1/rbac/approvals': list([]),
  });
  const { stderr } = await runSvc(['deploy', ref, '--json'], { home: freshHome(), env: signedIn(service.url) });
  expect(JSON.parse(stderr)).toMatchObject({ person_must_act: true, next: [{ command: `svc submit --asset ${ref}` }] });
});

test('a contributor who deploys a project is refused before the push, with the state of the request', async () => {
  const home = freshHome();
  await runSvc(['init', 'greeter', '--framework', 'langgraph', '--team', 'default'], { home });
  await using service = await scriptService({
    'GET /api/v1/auth/me': data(contributor),
    'POST /api/v1/deployments': problem(403, 'forbidden', 'A contributor submits'),
    'GET /api/v1/rbac/approvals': list([pendingApproval]),
  });
  const { exit, stderr } = await runSvc(['deploy'], {
    home,
    cwd: path.join(home, 'greeter'),
    env: signedIn(service.url),
  });
  expect(exit).toBe(1);
  expect(stderr).toContain('A contributor submits');
  expect(stderr).toContain('agents/greeter@1.0.0  pending');
  expect(service.asked.some(({ path: asked }) => asked.endsWith('/versions'))).toBe(false);
});

test('a pending request gets no hint to submit again, and one without a decider gets the remedy', async () => {
  const refused = problem(409, 'approval_required', 'no approval', { hint: 'ask: svc submit --asset agents/greeter' });
  const stuck = async (require_approval_for_admins: boolean) => {
    await using service = await scriptService({
      'POST /api/v1/deployments': refused,
      'GET /api/v1/rbac/approvals': list([{ ...pendingApproval, can_decide: [] }]),
      'GET /api/v1/org': data({ settings: { require_approval_for_admins } }),
      'GET /api/v1/registry/agent/greeter/versions/1.0.0': data({ config: { deploy: { secrets: ['CRM', 'OWN'] } } }),
      'GET /api/v1/secrets': list([
        { name: 'CRM', agent: null },
        { name: 'OWN', agent: 'greeter' },
      ]),
    });
    const { exit, stderr } = await runSvc(['deploy', ref], { home: freshHome(), env: signedIn(service.url) });
    expect(exit).toBe(4);
    expect(stderr).not.toContain('svc submit');
    expect(stderr).toMatch(/Can decide +nobody yet: it takes another admin/);
    return [...stderr.matchAll(/next: (svc .*?)(?:  |$)/gm)].map(([, command]) => command);
  };
  const another = 'svc user update <e-mail> --role admin';
  expect(await stuck(true)).toEqual([another, 'svc org set require_approval_for_admins false']);
  // Its new secret of the team is the reason, and the setting is not.
  expect(await stuck(false)).toEqual(['svc secret set CRM --agent greeter', another]);
});

test('a plan before the first push is refused with the command that pushes', async () => {
  const home = freshHome();
  await runSvc(['init', 'greeter', '--framework', 'langgraph'], { home });
  await using service = await scriptService({});
  const ran = await runSvc(['deploy', 'greeter', '--plan'], { home, env: signedIn(service.url) });
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('✗ agents/greeter@1.0.0 is not pushed yet, or you may not read it');
  expect(ran.stderr).toContain('hint: Push it without deploying: `svc submit`.');
});

test('a plan with changes is exit 5 and deploys nothing', async () => {
  const changes = {
    config: [{ path: 'model.primary', before: null, after: 'm' }],
    files: [],
    dependencies: [],
    base_image: null,
    reach: [],
    tools: [],
  };
  const plan = {
    ref,
    digest: 'sha256:abc',
    target: 'local',
    deployable: true,
    verdicts: [{ check: 'approval', verdict: 'pass', detail: '' }],
    running: 'agents/greeter@0.9.0',
    changes,
    cost: { per_day_usd: '0.44', days: 7, cap: null, cap_ends_at: null },
    target_plan: {
      requests: [{ action: 'apply', resource: { kind: 'Deployment', name: 'svc-greeter' }, body: {} }],
      broken: [],
      notes: [],
      covers: {
        kinds: ['Deployment'],
        size: { cpu: '1000m', memory: '1Gi' },
        permissions: [],
        reach: ['out: *'],
        secrets: ['CRM'],
      },
      cost: { currency: 'USD', idle: '18.02', max: '36.04', as_of: '2026-01-31', source: 'a price list' },
    },
  };
  await using service = await scriptService({ 'POST /api/v1/deployments/plan': data(plan) });
  const { exit, stdout } = await runSvc(['deploy', ref, '--plan'], { home: freshHome(), env: signedIn(service.url) });
  expect(exit).toBe(5);
  expect(stdout).toContain('model.primary: absent → m');
  expect(stdout).toContain('$0.44 a day over the last 7 days; no budget limits it');
  expect(stdout).toContain('sends  apply Deployment svc-greeter');
  expect(stdout).toContain('permissions  none');
  expect(stdout).toContain('reach  out: *');
  expect(stdout).toContain('18.02 USD idle, 36.04 USD with all replicas; list prices of 2026-01-31 (a price list)');
  expect(service.asked.length).toBe(1);
});

test('Ctrl-C without a terminal detaches: the deploy goes on and its id is printed', async () => {
  await using service = await scriptService({
    ...started,
    [`GET /api/v1/deployments/${id}/events`]: stream(twoSteps, false),
  });
  const program = fileURLToPath(new URL('../../svc.js', import.meta.url));
  const child = spawn(process.execPath, [program, 'deploy', ref], {
    env: { HOME: freshHome(), ...signedIn(service.url) },
  });
  const interruptOnceWatching = (chunk: Buffer): void =>
    void (chunk.toString().includes('4/8 build') && child.kill('SIGINT'));
  child.stderr.on('data', interruptOnceWatching);
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(stdout).toContain(id);
  expect(child.exitCode).toBe(0);
  expect(service.asked.some(({ path: asked }) => asked.endsWith('/cancel'))).toBe(false);
});

test('Ctrl-C while it waits for the approval says that the request stays, and how to take it up again', async () => {
  await using service = await scriptService({
    'POST /api/v1/deployments': problem(409, 'approval_required', 'no approval'),
    'GET /api/v1/rbac/approvals': list([pendingApproval]),
    'POST /api/v1/rbac/approvals': data(pendingApproval, 201),
  });
  const program = fileURLToPath(new URL('../../svc.js', import.meta.url));
  const child = spawn(process.execPath, [program, 'deploy', ref, '--wait-approval'], {
    env: { HOME: freshHome(), ...signedIn(service.url) },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    const before = said;
    said += chunk.toString();
    const begins = 'Waiting for the approval';
    if (said.includes(begins) && !before.includes(begins)) child.kill('SIGINT');
  });
  await once(child, 'close');
  expect([child.exitCode, said]).toEqual([130, expect.stringContaining(`The request ${pendingApproval.id}`)]);
  expect(said).toContain(`next: svc deploy ${ref} --wait-approval`);
  expect(said).toContain(`next: svc review withdraw ${pendingApproval.id}`);
});

test.each([
  ['cancelled', 'was cancelled; nothing runs', undefined],
  ['failed', 'The agent did not load', `next: svc deployments show ${id}`],
] as const)('a first deploy that is %s says what is so, with its next step', async (state, said, next) => {
  const problemDocument = { code: 'start_failed', detail: 'The agent did not load', status: 422 };
  await using service = await scriptService({
    ...started,
    [`GET /api/v1/deployments/${id}/events`]: stream([
      event({ kind: 'step', step: 'build', state: 'running' }),
      event({ kind: 'step', step: 'build', state: 'failed', data: { problem: { code: state } } }),
      event({ kind: 'end', state }),
    ]),
    [`GET /api/v1/deployments/${id}`]: data({
      ...deployment,
      state,
      problem: state === 'failed' ? problemDocument : null,
    }),
  });
  const { exit, stderr } = await runSvc(['deploy', ref], { home: freshHome(), env: signedIn(service.url) });
  expect([exit, stderr]).toEqual([1, expect.stringContaining(said)]);
  if (next !== undefined) expect(stderr).toContain(next);
  expect(stderr).toContain(state === 'failed' ? '✗ 4/8 build' : '– 4/8 build');
});

test('a step that a person cancelled is shown as cancelled, and as failed otherwise', async () => {
  const step = (name: string, problem: object | null) => ({
    n: 6,
    name,
    state: 'failed',
    started_at: null,
    ended_at: null,
    problem,
  });
  await using service = await scriptService({
    ...started,
    [`GET /api/v1/deployments/${id}`]: data({
      ...deployment,
      steps: [step('start', { code: 'cancelled' }), step('build', { code: 'build_failed' })],
    }),
  });
  const { stdout } = await runSvc(['deployments', 'show', id], { home: freshHome(), env: signedIn(service.url) });
  expect(stdout).toMatch(/start +cancelled[^]*build +failed/);
});

test('a project with faults is refused locally, with every fault, and nothing is sent', async () => {
  const home = freshHome();
  mkdirSync(path.join(home, 'p'));
  writeFileSync(path.join(home, 'p', 'agent.yaml'), 'name: Greeter\nframework: langgraph\n');
  await using service = await scriptService({});
  const { exit, stderr } = await runSvc(['deploy', 'p'], { home, env: signedIn(service.url) });
  expect(exit).toBe(1);
  expect(stderr).toContain('agent.py is missing beside agent.yaml');
  expect(stderr).toMatch(/agent\.yaml:1:\d+/);
  expect(service.asked).toEqual([]);
});

test('a notice is printed once, although the client, the push and the deploy each give it', async () => {
  const home = freshHome();
  await runSvc(['init', 'greeter', '--framework', 'langgraph', '--team', 'default'], { home });
  appendFileSync(path.join(home, 'greeter', 'agent.yaml'), '  region: eu-west-1\n');
  const said = '`deploy.region` is not in effect: `local` is no cloud.';
  const pushed = { id, ref, state: 'done', digest: 'sha256:abc', unchanged: false, problem: null, created_at: '' };
  const notices = [`agent.yaml: ${said}`];
  await using service = await scriptService({
    ...started,
    'GET /api/v1/auth/me': data({ ...contributor, role: 'admin' }),
    'POST /api/v1/agents/greeter/versions': data({ ...pushed, state: 'running', notices }, 202),
    [`GET /api/v1/pushes/${id}/events`]: stream([
      event({ kind: 'notice', message: notices[0] ?? '' }),
      event({ kind: 'end', state: 'done' }),
    ]),
    [`GET /api/v1/pushes/${id}`]: data({ ...pushed, notices }),
    [`GET /api/v1/deployments/${id}/events`]: stream([
      event({ kind: 'notice', message: said }),
      event({ kind: 'end', state: 'done' }),
    ]),
    [`GET /api/v1/deployments/${id}`]: data({ ...deployment, state: 'done', notices: [said] }),
  });
  const where = { home, cwd: path.join(home, 'greeter'), env: signedIn(service.url) };
  const { exit, stdout, stderr } = await runSvc(['deploy'], where);
  expect(exit).toBe(0);
  expect((stdout + stderr).split(said)).toHaveLength(2);
  expect(stderr).toMatch(/^note agent\.yaml:\d+:\d+ {2}`deploy\.region`/m);
  const programs = await runSvc(['deploy', '--json'], where);
  expect((JSON.parse(programs.stderr) as { notices: string[] }).notices).toHaveLength(1);
});
