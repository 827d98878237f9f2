import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, problem, scriptService } from '../testing/scripted-service.ts';

const path = 'GET /api/v1/targets/prod/policy';
const signedIn = (url: string): Record<string, string> => ({ SERVICE_URL: url, SERVICE_API_TOKEN: 't' });
const content = 'kind: ServiceAccount\n---\nkind: Role\n';
const policy = (file: string) => ({ [path]: data([{ file, content }]) });

test('the policy of a target is printed as it is, so that it can be piped, or written into a folder', async () => {
  await using service = await scriptService(policy('rbac.yaml'));
  const [home, env] = [freshHome(), signedIn(service.url)];
  expect(await runSvc(['target', 'policy', 'prod'], { home, env })).toMatchObject({ exit: 0, stdout: content });
  const { stdout } = await runSvc(['target', 'policy', 'prod', '--output', 'rbac'], { home, env });
  expect(stdout).toContain(join('rbac', 'rbac.yaml'));
  expect(readFileSync(join(home, 'rbac', 'rbac.yaml'), 'utf8')).toBe(content);
});

test('no name of a file leaves the folder', async () => {
  await using service = await scriptService(policy('../../outside.yaml'));
  const [home, env] = [freshHome(), signedIn(service.url)];
  await runSvc(['target', 'policy', 'prod', '--output', 'a/b'], { home, env });
  expect([existsSync(join(home, 'outside.yaml')), existsSync(join(home, 'a', 'b', 'outside.yaml'))]).toEqual([
    false,
    true,
  ]);
});

test('a target without permissions says so, with the next step', async () => {
  const detail = 'box is a container engine, and an engine knows no permissions.';
  await using service = await scriptService({ [path]: problem(409, 'no_policy', detail) });
  const ran = await runSvc(['target', 'policy', 'prod'], { home: freshHome(), env: signedIn(service.url) });
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain(detail);
});
