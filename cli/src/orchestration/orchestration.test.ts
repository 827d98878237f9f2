import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, list, problem, scriptService, type Reply } from '../testing/scripted-service.ts';

const file = 'name: support\nversion: 1.0.0\nteam: ml\nstrategy: parallel\nagents:\n  a: {ref: agents/a}\n';

function folder(text: string, name = 'orchestration.yaml'): { home: string; cwd: string } {
  const home = freshHome();
  const cwd = path.join(home, 'support');
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, name), text);
  return { home, cwd };
}

const asset = (...versions: string[]) => ({
  ref: 'orchestrations/support',
  name: 'support',
  latest_version: versions[0],
  versions: versions.map((version) => ({ version, digest: `sha256:${version}` })),
});
const at = '/api/v1/registry/orchestration';
const signedIn = (url: string) => ({ SERVICE_URL: url, SERVICE_API_TOKEN: 't' });

test('svc orchestration validate names each fault with its line and column, and --fix applies the edits', async () => {
  const where = folder(file.replace('strategy: parallel', 'strategy: paralel'));
  const faulty = await runSvc(['orchestration', 'validate'], where);
  expect(faulty.stdout).toContain('orchestration.yaml:4:11');
  expect(faulty.stdout).toContain('Did you mean `parallel`?');
  expect(faulty.exit).toBe(1);
  const fixed = await runSvc(['orchestration', 'validate', '--fix'], where);
  expect(fixed).toMatchObject({ exit: 0, stdout: expect.stringContaining('support 1.0.0 is valid') as string });
  expect(readFileSync(path.join(where.cwd, 'orchestration.yaml'), 'utf8')).toBe(file);
});

test('svc validate in a folder with an orchestration.yaml names the commands for it', async () => {
  const where = folder(file);
  for (const words of [['validate'], ['validate', 'orchestration.yaml']]) {
    const { exit, stderr } = await runSvc(words, where);
    expect(stderr).toContain('svc orchestration validate');
    expect(exit).toBe(2);
  }
  const { stderr } = await runSvc(['orchestration', 'validate'], folder('name: a\n', 'agent.yaml'));
  expect(stderr).toContain('There is no orchestration.yaml');
});

test('svc orchestration push creates the asset, and stores the next file as another version', async () => {
  const where = folder(file);
  const shown: Reply[] = [problem(404, 'not_found', 'There is nothing here that you may read'), data(asset('1.0.0'))];
  await using service = await scriptService({
    [`GET ${at}/support`]: (response, asked) => shown.shift()?.(response, asked),
    [`POST ${at}`]: data(asset('1.0.0'), 201),
    [`PUT ${at}/support`]: data(asset('1.0.1', '1.0.0')),
    'GET /api/v1/orchestrations/support/check': data({
      faults: [{ member: 'a', message: 'agents/a does not run', command: 'svc deploy agents/a' }],
    }),
  });
  const sent = (method: string) =>
    JSON.parse(service.asked.find((one) => one.method === method)?.body ?? '') as unknown;
  const env = signedIn(service.url);
  const first = await runSvc(['orchestration', 'push'], { ...where, env });
  expect(first.stdout).toContain('✓ orchestrations/support@1.0.0 is pushed  sha256:1.0.0');
  expect(first.stderr).toContain('svc submit --asset orchestrations/support@1.0.0');
  expect(first.stdout).toContain('a: agents/a does not run  svc deploy agents/a');
  expect(sent('POST')).toEqual({
    name: 'support',
    team: 'ml',
    version: '1.0.0',
    config: {
      name: 'support',
      version: '1.0.0',
      team: 'ml',
      strategy: 'parallel',
      agents: [{ name: 'a', ref: 'agents/a' }],
    },
  });
  const second = await runSvc(['orchestration', 'push', '--bump', 'patch'], { ...where, env });
  expect(second.stdout).toContain('✓ orchestrations/support@1.0.1 is pushed');
  expect(readFileSync(path.join(where.cwd, 'orchestration.yaml'), 'utf8')).toContain('version: 1.0.1\n');
  expect(sent('PUT')).toMatchObject({ version: '1.0.1', config: { version: '1.0.1' } });
});

test('svc orchestration push of other content under a stored version names the next version', async () => {
  const where = folder(file);
  await using service = await scriptService({
    [`GET ${at}/support`]: data(asset('1.4.0', '1.0.0')),
    [`PUT ${at}/support`]: problem(409, 'version_final', 'orchestrations/support@1.0.0 is final'),
  });
  const { exit, stderr } = await runSvc(['orchestration', 'push'], { ...where, env: signedIn(service.url) });
  expect(stderr).toContain('orchestrations/support@1.0.0 is final');
  expect(stderr).toContain(
    'hint: Write version: 1.4.1, or let svc write a higher one: svc orchestration push --bump patch',
  );
  expect(exit).toBe(1);
});

test('svc orchestration push of a file with faults sends nothing', async () => {
  const where = folder(`${file}on_eror: fail\n`);
  await using service = await scriptService({});
  const { exit, stderr } = await runSvc(['orchestration', 'push'], { ...where, env: signedIn(service.url) });
  expect(stderr).toContain('orchestration.yaml:7:1');
  expect(exit).toBe(1);
  expect(service.asked.filter(({ path: asked }) => asked.startsWith(at))).toEqual([]);
});

test('svc orchestration run shows the first line of each answer and why a call failed, also of a failed run; runs takes filters; cancel ends one', async () => {
  const run_id = '01890a5d-ac96-774b-bcce-b302099a8057';
  const step = {
    started_at: null,
    ended_at: null,
    agent: null,
    version: null,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: '0',
  };
  const steps = [
    { ...step, path: 'a', state: 'done', answer: 'a first line\na second one', problem: null },
    { ...step, path: 'b', state: 'failed', answer: null, problem: { detail: 'agents/b failed: no room.' } },
  ];
  const output = { text: 'both', members: {} };
  const lost_id = '01890a5d-ac96-774b-bcce-b302099a8058';
  const shown = { run_id, steps, problem: null, notices: [], cost_usd: '0', status: 'partial', state: 'done' };
  await using service = await scriptService({
    [`GET /orchestrations/support/runs/${run_id}`]: data({
      ...shown,
      output,
    }),
    [`GET /orchestrations/support/runs/${lost_id}`]: data({
      ...shown,
      run_id: lost_id,
      output: null,
      status: null,
      state: 'failed',
      problem: { code: 'member_failed', status: 502, title: 't', detail: 'agents/b failed: no room.', members: {} },
    }),
    'GET /orchestrations/support/runs': list([]),
    [`POST /orchestrations/support/runs/${run_id}/cancel`]: data({ run_id }, 202),
  });
  const where = { home: freshHome(), env: signedIn(service.url) };
  const { stdout } = await runSvc(['orchestration', 'run', 'support', '--run', run_id], where);
  expect(stdout).toContain('a first line');
  expect(stdout).not.toContain('a second one');
  expect(stdout).toContain('agents/b failed: no room.');
  const lost = await runSvc(['orchestration', 'run', 'support', '--run', lost_id], where);
  expect(lost.exit).toBe(1);
  expect(lost.stdout).toContain('a first line');
  expect(lost.stdout).toContain(`run ${lost_id}`);
  expect(lost.stderr).toContain('agents/b failed: no room.');
  const json = await runSvc(['orchestration', 'run', 'support', '--run', lost_id, '--json'], where);
  expect(JSON.parse(json.stdout)).toMatchObject({
    run_id: lost_id,
    steps,
    problem: { code: 'member_failed', members: {} },
  });
  await runSvc(['orchestration', 'runs', 'support', '--state', 'failed', '--version', '1.0.0'], where);
  const query = new URLSearchParams(service.asked.at(-1)?.query);
  expect([query.get('state'), query.get('version')]).toEqual(['failed', '1.0.0']);
  const cancelled = await runSvc(['orchestration', 'cancel', 'support', run_id], where);
  expect(cancelled.stdout).toContain(`The run ${run_id} is being cancelled`);
});
