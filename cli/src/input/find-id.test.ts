import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { list, problem, scriptService } from '../testing/scripted-service.ts';

const id = '64eee2ec-d29e-4c58-a19a-366813aca57c';
const other = '64eee2ec-0000-4c58-a19a-366813aca57c';
const where = (url: string) => ({ home: freshHome(), env: { SERVICE_URL: url, SERVICE_API_TOKEN: 't' } });
const deploy = (of: string) => ({ id: of, ref: 'agents/greeter@1.0.0', state: 'done' });
const request = (of: string) => ({ id: of, asset: 'agents/greeter', asset_version: '1.0.0', status: 'pending' });
const delivery = (of: string) => ({ id: of, event: 'deploy', state: 'dead' });

const requests = '/api/v1/rbac/approvals';
const deploys = '/api/v1/deployments';
const deliveries = '/api/v1/webhooks/siem/deliveries';
const taking: [string, string, (of: string) => object][] = [
  ...['show', 'comment --message x', 'approve', 'reject --reason x', 'withdraw', 'revoke'].map(
    (words): [string, string, typeof request] => [`review ${words}`, requests, request],
  ),
  ...['show', 'watch', 'cancel'].map((words): [string, string, typeof deploy] => [
    `deployments ${words}`,
    deploys,
    deploy,
  ]),
  ['webhook redeliver siem', deliveries, delivery],
];

test.each(taking)('%s takes the first characters of an id', async (words, path, made) => {
  await using service = await scriptService({ [`GET ${path}`]: list([made(id)]) });
  await runSvc([...words.split(' '), '64EEE2EC'], where(service.url));
  const [asked, acted] = service.asked;
  expect(asked?.query).toMatch(/[?&]id=64eee2ec/);
  expect(acted?.path.startsWith(`${path}/${id}`)).toBe(true);
});

test.each(taking)('%s is refused when several ids begin with them, and lists those ids', async (words, path, made) => {
  await using service = await scriptService({ [`GET ${path}`]: list([made(id), made(other)]) });
  const { exit, stderr } = await runSvc([...words.split(' '), '64eee2ec'], where(service.url));
  expect(exit).toBe(1);
  for (const each of [id, other]) expect(stderr).toContain(each);
  expect(service.asked).toHaveLength(1);
});

test('a whole id needs no request, and a text without the form of an id is refused before any request', async () => {
  await using service = await scriptService({ [`GET ${deploys}/${id}`]: problem(404, 'not_found', 'not here') });
  expect((await runSvc(['deployments', 'show', id], where(service.url))).stderr).toContain('not here');
  expect(service.asked.map(({ path }) => path)).toEqual([`${deploys}/${id}`]);
  expect((await runSvc(['deployments', 'show', 'greeter'], where(service.url))).exit).toBe(2);
  expect(service.asked).toHaveLength(1);
});

test('first characters of no id are refused', async () => {
  await using service = await scriptService({ [`GET ${deploys}`]: list([]) });
  const { exit, stderr } = await runSvc(['deployments', 'show', 'abcd'], where(service.url));
  expect([exit, stderr]).toEqual([1, expect.stringContaining('begins with abcd')]);
});
