import { expect, test } from 'vitest';
import { contributor } from '../testing/answers.ts';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, problem, scriptService } from '../testing/scripted-service.ts';

const home = freshHome();
const env = (url: string) => ({ SERVICE_URL: url, SERVICE_API_TOKEN: 't' });
const target = { ref: null, kind: 'kubernetes', address: null, team: null, deploys: true, agents: [] };
const targets = data([
  { ...target, name: 'local' },
  { ...target, name: 'cluster' },
]);
const nothing = data({ target: 'local', compares: false, drift: [] });
const mend = 'svc deploy agents/greeter@1.0.0 --target cluster --force';
const finding = {
  kind: 'Deployment',
  name: 'svc-greeter-0190b2f4',
  what: 'changed',
  detail: 'not as described: template.hostNetwork',
  agent: 'greeter',
  found_at: '2026-01-31T12:00:00Z',
  mend,
};

async function run(words: string[], drift: Parameters<typeof scriptService>[0][string]) {
  await using service = await scriptService({
    'GET /api/v1/auth/me': data({ ...contributor, role: 'admin' }),
    'GET /api/v1/targets': targets,
    'POST /api/v1/targets/local/drift': nothing,
    'POST /api/v1/targets/cluster/drift': drift,
  });
  return await runSvc(['target', 'drift', ...words], { home, env: env(service.url) });
}

test('drift is printed with the command that mends it, for scripts too, and exits 5', async () => {
  const drifted = data({ target: 'cluster', compares: true, drift: [finding] });
  const { exit, stdout, stderr } = await run([], drifted);
  expect(exit).toBe(5);
  expect(stdout).toContain('local: a target of this kind has nothing to compare');
  expect(stdout).toContain(
    'cluster: changed Deployment svc-greeter-0190b2f4 of agents/greeter: not as described: template.hostNetwork',
  );
  expect(stdout + stderr).toContain(mend);
  const script = await run(['cluster', '--json'], drifted);
  expect([script.exit, JSON.parse(script.stdout)]).toEqual([
    5,
    [{ target: 'cluster', compares: true, drift: [finding], reason: null }],
  ]);
});

test('without drift it exits 0; a target that does not answer hides no other, and exits 1', async () => {
  const { exit, stdout } = await run([], data({ target: 'cluster', compares: true, drift: [] }));
  expect([exit, stdout]).toEqual([0, expect.stringContaining('cluster: all is as it was described')]);
  const away = await run([], problem(503, 'engine_unavailable', 'The API server of the cluster does not answer'));
  expect(away.exit).toBe(1);
  expect(away.stdout).toContain('cluster: The API server of the cluster does not answer');
  expect(away.stdout).toContain('local:');
});

test('svc server gc says what it removed, and what stays and why', async () => {
  const resource = { kind: 'secret', name: 'svc-greeter-0190b2f4', agent: 'greeter' };
  const collected = (left: object[], reason: string | null) =>
    data([{ target: 'cluster', removed: left.length > 0 ? [] : [resource], left, reason }]);
  const gc = async (answer: ReturnType<typeof data>) => {
    await using service = await scriptService({
      'GET /api/v1/auth/me': data({ ...contributor, role: 'admin' }),
      'POST /api/v1/targets/collect': answer,
    });
    return await runSvc(['server', 'gc'], { home, env: env(service.url) });
  };
  const done = await gc(collected([], null));
  expect([done.exit, done.stdout]).toEqual([0, expect.stringContaining('removed secret svc-greeter-0190b2f4')]);
  const away = await gc(collected([{ ...resource, reason: 'it does not answer' }], 'it does not answer'));
  expect(away.exit).toBe(1);
  expect(away.stdout).toContain('cluster: secret svc-greeter-0190b2f4 stays: it does not answer');
});
