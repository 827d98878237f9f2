// Waits for a person: questions at a real terminal. shared/waiting-for-deploys.test.ts has the questions about a deploy.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { adminOf } from './api.ts';
import { smtpServer, type SmtpServer } from '../server/src/testing/servers/smtp-server.ts';
import { install, type OwnInstallation } from './installation.ts';
import { atTerminal, key } from './terminal.ts';

let gantry: OwnInstallation;
let admin: Client;
let smtp: SmtpServer;

beforeAll(async () => {
  smtp = await smtpServer();
  await smtp.start('plaintext');
  gantry = await install({
    SMTP_URL: `smtp://localhost:${smtp.port}`,
    SMTP_FROM: 'gantry@example.com',
    SMTP_PLAINTEXT_HOST: 'localhost',
  });
  admin = await adminOf(gantry);
  await gantry.must('svc team create ml');
});
afterAll(async () => {
  await gantry?.stop();
  await smtp?.close();
});

test('svc login asks for everything, and again after a too short password; no secret is on the screen', async () => {
  const { stdout } = await gantry.must('svc user create bo@example.com --print-password --json');
  const { one_time_password } = JSON.parse(stdout) as { one_time_password: string };
  const at = await atTerminal(gantry, 'svc login', { as: 'bo' });
  // Its environment has no desktop, so there is no keychain.
  await at.shows('Where should the session be stored?');
  at.press(key.enter);
  for (const [question, answer] of [
    ['E-mail', 'bo@example.com'],
    ['Password', one_time_password],
    ['New password', 'seven77'],
    ['at least 8 characters', 'x and a word of my own'],
    ['Repeat the new password', 'seven77x and a word of my own'],
  ] as const) {
    await at.shows(question);
    at.press(answer + key.enter);
  }
  await at.shows('Signed in');
  expect(await at.ended).toBe(0);
  for (const secret of [one_time_password, 'a word of my own']) expect(at.screen()).not.toContain(secret);
  expect((await gantry.must('svc whoami', { as: 'bo' })).output).toContain('bo@example.com');
});

test('the only admin gets a warning before admins need an approval, and a no changes nothing', async () => {
  const typed = 'svc org set require_approval_for_admins true';
  const kept = await atTerminal(gantry, typed);
  await kept.shows('You are the only admin');
  await kept.shows('Set it anyway?');
  kept.press('n');
  expect(await kept.ended).toBe(1);
  expect((await admin.call('org.show', {})).settings.require_approval_for_admins).toBe(false);
  const set = await atTerminal(gantry, typed);
  await set.shows('Set it anyway?');
  set.press('y');
  expect(await set.ended).toBe(0);
  expect((await admin.call('org.show', {})).settings.require_approval_for_admins).toBe(true);
  await gantry.must('svc org set require_approval_for_admins false');
});

test('a user invited by mail sets a password at a terminal as in the mail; the token is on no screen', async () => {
  const created = await gantry.must('svc user create ida@example.com');
  expect(created.output).toContain('a mail to ida@example.com has a token to choose a password');
  const letter = async () => (await smtp.inbox()).find(({ to }) => to.includes('ida@example.com'))?.body ?? '';
  await expect.poll(letter, { timeout: 20_000 }).toContain('svc password set');
  const mail = await letter();
  const token = /gpw_\S+/.exec(mail)?.[0] ?? 'none';
  const typed = /svc password set.*/.exec(mail)?.[0] ?? 'none';
  expect(created.output).not.toContain(token);
  const at = await atTerminal(gantry, typed, { as: 'ida' });
  for (const [question, answer] of [
    ['Token from the mail', token],
    ['New password', 'a word of my own'],
    ['Repeat the new password', 'a word of my own'],
  ] as const) {
    await at.shows(question);
    at.press(answer + key.enter);
  }
  await at.shows('ida@example.com has a new password');
  expect(await at.ended).toBe(0);
  for (const secret of [token, 'a word of my own']) expect(at.screen()).not.toContain(secret);
  const signIn = /svc login.*/.exec(mail)?.[0] ?? 'none';
  await gantry.must(`${signIn} --password "a word of my own" --store file`, { as: 'ida' });
  expect((await gantry.must('svc whoami', { as: 'ida' })).output).toContain('ida@example.com');
});

test('svc registry tool edit opens the editor, shows the difference and asks; a fault is shown and can be corrected', async () => {
  await gantry.must(`svc registry tool create diary --team ml --config '{returns: {title: old}}'`);
  const edit = async (expression: string) =>
    await atTerminal(gantry, `env EDITOR="sed -i ${expression}" svc registry tool edit diary --bump major`);
  const mistyped = await edit('s/returns:/retuns:/');
  await mistyped.shows('Did you mean `returns`?');
  await mistyped.shows('Edit it again?');
  mistyped.press('n');
  expect(await mistyped.ended).toBe(1);
  const edited = await edit('s/old/new/');
  await edited.shows('+   title: new');
  await edited.shows('Save this as tools/diary@2.0.0?');
  edited.press('y');
  await edited.shows('tools/diary@2.0.0 exists');
  expect(await edited.ended).toBe(0);
  const unchanged = await edit('s/nothing/something/');
  await unchanged.shows('tools/diary@2.0.0 is unchanged');
  expect((await gantry.must('svc registry tool show diary --yaml')).output).toContain('title: new');
});

test('svc group delete asks and names its effects; a no keeps the group, a yes deletes it', async () => {
  await gantry.must('svc group create oncall --team ml');
  const kept = await atTerminal(gantry, 'svc group delete oncall');
  await kept.shows('Delete group:oncall of team ml with its grants? This cannot be undone.');
  kept.press('n');
  await kept.shows('group:oncall was not deleted');
  expect(await kept.ended).toBe(1);
  await gantry.must('svc group show oncall');
  const deleted = await atTerminal(gantry, 'svc group delete oncall');
  await deleted.shows('This cannot be undone.');
  deleted.press('y');
  await deleted.shows('group:oncall and its grants are deleted');
  expect(await deleted.ended).toBe(0);
});
