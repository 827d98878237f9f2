import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../../ground/database/sql.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';
import { withRefusedCall } from './refused-calls.ts';
import { masked } from '../targets/mask.ts';
import { startHint } from '../targets/start-hint.ts';

let app: TestApp;
let key_id: string;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  ({ id: key_id } = await ada.client.call('keys.create', { body: {} }));
  await app.governed(sql`update gateway_key set activated_at = null where id = ${key_id} returning id`);
  await app.db.run(sql`insert into refused_start (key_id, detail, hint)
    values (${key_id}, 'It may not call "my-secret-value".', 'Add the model.')`);
});
afterAll(async () => await app?.stop());

const ofKey = (id: string | null) => ({ key_id: id, mask: masked(['my-secret-value']) });
const failedWith = (hint: string) =>
  new Problem('start_failed', { detail: 'It raised an error.', hint, fields: { log: [] } });

test('a failed start has the refused call behind it, without a secret and under one hint', async () => {
  expect(await withRefusedCall(app.db, { ...ofKey(key_id), error: failedWith(startHint({})) })).toMatchObject({
    code: 'start_failed',
    detail:
      'It raised an error. During this start, the model gateway refused a call of the agent: It may not call "***".',
    hint: 'Add the model.',
    fields: { log: [] },
  });
  // The missing variable is the fault to correct first.
  const hint = startHint({ missing_env: ['CRM_TOKEN'] });
  expect(await withRefusedCall(app.db, { ...ofKey(key_id), error: failedWith(hint) })).toMatchObject({ hint });
});

test('no other failure, and no start without a refused call, is changed', async () => {
  const late = new Problem('health_check_failed');
  expect(await withRefusedCall(app.db, { ...ofKey(key_id), error: late })).toBe(late);
  const failed = failedWith(startHint({}));
  for (const id of [null, randomUUID()])
    expect(await withRefusedCall(app.db, { ...ofKey(id), error: failed })).toBe(failed);
});
