import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { applyOrgConfig, OrgConfigFault } from './org-settings.ts';
import { seedCast } from '../../testing/access/cast.ts';
import { testDatabase } from '../../testing/test-database.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let file = '';

beforeAll(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'gantry-test-org-')), 'org.yaml');
  await writeFile(file, 'enforce_password_change: false\n');
  app = await testApp({ config: { org_config: file } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
});
afterAll(async () => await app?.stop());

const set = async (by: TestUser, body: object) => await by.client.call('org.set', { body });

test('everybody can read the settings, and admins their source', async () => {
  expect(await ada.client.call('org.show', {})).toEqual({
    settings: {
      auth_provider: 'local',
      require_approval_for_admins: false,
      enforce_password_change: false,
      approvals_required: 1,
      approval_expires_after_days: null,
      agent_egress: 'listed',
      required_guardrails: [],
      reveal_gateway_keys: true,
      hide_trace_inputs: false,
      hide_trace_outputs: false,
      memory_kept_days: 90,
      admins_read_threads: false,
      share_threads_days: 30,
      message_file_mb: 5,
      tool_arguments_kb: 64,
      tool_result_kb: 1024,
      tool_call_seconds: 60,
      tool_calls_at_once: 8,
      knowledge_base_documents: 20_000,
      knowledge_base_mb: 2048,
      approve_outgoing_after: 'never',
      mcp_registry: null,
      waiting_runs_told_after_minutes: 5,
      browser_origins: [],
    },
    file: null,
    set_in_file: ['enforce_password_change'],
  });
  expect((await app.admin.client.call('org.show', {})).file).toBe(file);
});

test('an organisation from before the default `listed` keeps `open`', async () => {
  const database = await testDatabase();
  const text = await readFile(join(import.meta.dirname, '../../../migrations/159-listed-egress.sql'), 'utf8');
  await database.db.run(sql`alter table org alter column agent_egress set default 'open'`);
  await seedCast(database.db);
  await database.db.run({ strings: [text], values: [] });
  expect(await database.db.all(sql`select agent_egress from org`)).toEqual([{ agent_egress: 'open' }]);
  await database.close();
});

test('a changed setting is recorded with before and after, and a warning explains it to a single admin', async () => {
  const on = await set(app.admin, { require_approval_for_admins: true });
  expect(on).toMatchObject({
    settings: { require_approval_for_admins: true },
    notices: [
      "Now there is one admin, and require_approval_for_admins needs 2: an admin's own request needs one other admin. Make somebody else an admin: svc user update <e-mail> --role admin. Or undo it: svc org set require_approval_for_admins false",
    ],
  });
  const [entry] = await app.db.all<{ detail: object; actor: string }>(
    sql`select body::json -> 'detail' as detail, actor from audit.entry where event = 'settings.changed' order by seq desc limit 1`,
  );
  expect(entry).toMatchObject({
    actor: app.admin.email,
    detail: { before: { require_approval_for_admins: false }, after: { require_approval_for_admins: true } },
  });
  await app.user('root@example.com', { role: 'admin' });
  await set(app.admin, { require_approval_for_admins: false });
  expect((await set(app.admin, { require_approval_for_admins: true })).notices).toEqual([]);
});

test('only the file changes a setting that is in the file', async () => {
  await expect(set(app.admin, { enforce_password_change: true })).rejects.toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining(file),
  });
  expect((await ada.client.call('org.show', {})).settings.enforce_password_change).toBe(false);
});

test('a file that differs from the settings in effect gives a warning, on any server', async () => {
  const warnings = async () => ((await (await fetch(`${app.url}/readyz`)).json()) as { warnings: string[] }).warnings;
  const finding = async () =>
    (await app.admin.client.call('service.doctor', {})).find(({ part }) => part === 'organisation settings');
  const differs = [expect.stringContaining("differ from this server's settings file")];
  expect([await warnings(), await finding()]).toMatchObject([[], { verdict: 'ok' }]);
  // Another server of this database with another file would do this.
  await app.settings({ enforce_password_change: true });
  expect([await warnings(), await finding()]).toMatchObject([
    differs,
    { verdict: 'warning', detail: expect.stringContaining('enforce_password_change is true, and false in the file') },
  ]);
  await writeFile(file, 'enforce_password_change: true\n');
  expect([await warnings(), await finding()]).toMatchObject([[], { verdict: 'ok' }]);
  await writeFile(file, 'enforce_password: yes\n');
  expect([await warnings(), await finding()]).toMatchObject([
    differs,
    { verdict: 'problem', detail: expect.stringContaining('enforce_password') },
  ]);
  await writeFile(file, 'enforce_password_change: false\n');
  await app.settings({ enforce_password_change: false });
  expect(await warnings()).toEqual([]);
});

test('two simultaneous changes of different settings are both applied', async () => {
  for (let n = 1; n <= 5; n++) {
    await Promise.all([
      set(app.admin, { approvals_required: n + 1 }),
      set(app.admin, { approval_expires_after_days: n }),
    ]);
    expect((await ada.client.call('org.show', {})).settings).toMatchObject({
      approvals_required: n + 1,
      approval_expires_after_days: n,
    });
  }
  await set(app.admin, { approvals_required: 1, approval_expires_after_days: null });
});

test('only platform admins change settings; unknown settings and unsupported providers are refused', async () => {
  await expect(set(ada, { require_approval_for_admins: false })).rejects.toMatchObject({ code: 'forbidden' });
  for (const wrong of [{ id: 'x' }, { auth_provider: 'saml' }, { require_approval_for_admins: 'yes' }])
    await expect(set(app.admin, wrong)).rejects.toMatchObject({ code: 'invalid' });
});

test('the checklist has a checked verdict for each line', async () => {
  await set(app.admin, { require_approval_for_admins: true });
  const verdicts = async () =>
    Object.fromEntries(
      (await app.admin.client.call('org.check', {})).lines.map(({ name, verdict }) => [name, verdict]),
    );
  expect(await verdicts()).toMatchObject({
    provider: 'not_met',
    'secret key': 'met',
    'approval for admins': 'met',
    'team budgets': 'not_met',
    'outgoing connections of agents': 'met',
    'behind a VPN or proxy': 'met',
    'copies of the audit log': 'not_met',
    'service principal keys': 'met',
  });
  for (const { name } of (await app.admin.client.call('teams.list', {})).items)
    await app.admin.client.call('budgets.set', {
      body: { scope: 'team', scope_id: name, limits: { monthly_usd: '500' } },
    });
  await app.admin.client.call('principals.create', { body: { name: 'ci', team: 'ml' } });
  await set(app.admin, { require_approval_for_admins: false, agent_egress: 'open' });
  await app.governed(sql`update service_key set created_at = clock_now() - interval '100 days' returning id`);
  expect(await verdicts()).toMatchObject({
    'approval for admins': 'not_met',
    'team budgets': 'met',
    'outgoing connections of agents': 'not_met',
    'service principal keys': 'not_met',
  });
});

test('a fault of a required guardrail has its line in the file, and the nearest known name', async () => {
  const faulty = [
    'required_guardrails:',
    '  - name: pii_detecton',
    '  - name: pii_detection',
    '    options: {acton: block}',
    '  - name: max_length',
    '  - {name: content_filter}',
  ];
  await writeFile(file, faulty.join('\n'));
  const refused: unknown = await applyOrgConfig(app.db, file).catch((error: unknown) => error);
  const message = refused instanceof OrgConfigFault ? refused.message.replaceAll(`${file}:`, '') : '';
  expect(message.split('\n')).toEqual([
    expect.stringMatching(/^2: .*Did you mean `pii_detection`\?$/),
    '4: `required_guardrails[1].options.acton` is not an option of pii_detection; did you mean action?',
    expect.stringMatching(/^5: `required_guardrails\[2\]\.options` are needed/),
    expect.stringMatching(/^6: `required_guardrails\[3\]\.options` need `model`/),
  ]);
  await writeFile(file, 'enforce_password_change: false\n');
  const wrong = { name: 'pii_detection', options: { acton: 'block' } };
  await expect(set(app.admin, { required_guardrails: [wrong] })).rejects.toMatchObject({
    code: 'invalid',
    errors: [
      {
        pointer: '/required_guardrails/0/options/acton',
        message: 'is not an option of pii_detection; did you mean action?',
      },
    ],
  });
  const waiting = { name: 'pii_detection', teams: ['nobodys'] };
  expect((await set(app.admin, { required_guardrails: [waiting] })).notices).toEqual([
    'There is no team:nobodys yet; its guardrail waits for one.',
  ]);
  await set(app.admin, { required_guardrails: [] });
});
