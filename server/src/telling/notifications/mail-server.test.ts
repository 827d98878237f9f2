import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../ground/config/config.ts';
import { smtpServer, type SmtpServer } from '../../testing/servers/smtp-server.ts';
import { connectMailServer } from './mail-server.ts';

const letter = { to: 'ada@example.com', subject: 'hello', text: 'hello\n', message_id: '<1@example.com>' };
let smtp: SmtpServer;
beforeAll(async () => {
  smtp = await smtpServer();
}, 120_000);
afterAll(async () => await smtp?.close());

const connect = async (
  given: { scheme?: string; password?: string; trust?: boolean; plaintext?: boolean; host?: string } = {},
) => {
  const { scheme = 'smtp', password = 'a mail/password', trust = true, plaintext = false, host = 'localhost' } = given;
  const url = `${scheme}://gantry:${encodeURIComponent(password)}@${host}:${smtp.port}`;
  return await connectMailServer({
    url,
    from: 'gantry@example.com',
    ca_file: trust ? smtp.ca_file : undefined,
    plaintext,
  });
};

test('STARTTLS: a server with an untrusted certificate, or one for another name, gets nothing', async () => {
  await smtp.start('starttls');
  await (await connect()).send(letter);
  const untrusted = 'the connection to the mail server failed, or its certificate is not trusted';
  await expect((await connect({ trust: false })).send(letter)).rejects.toThrow(/not trusted|STARTTLS/);
  await expect((await connect({ host: '127.0.0.1' })).send(letter)).rejects.toThrow(untrusted);
  expect(await smtp.inbox()).toHaveLength(1);
});

test('a wrong password is reported without its text, and the mail waits', async () => {
  const sending = (await connect({ password: 'something wrong' })).send(letter);
  await expect(sending).rejects.toMatchObject({
    message: 'the mail server refuses the user name and password (the server answered 535)',
    final: false,
  });
});

test('smtps uses TLS from the first byte', async () => {
  await smtp.start('smtps');
  const before = (await smtp.inbox()).length;
  await (await connect({ scheme: 'smtps' })).send(letter);
  expect((await smtp.inbox()).slice(before)).toMatchObject([{ tls: true, to: ['ada@example.com'] }]);
});

test('a server without TLS is used only when the operator lists it', async () => {
  await smtp.start('plaintext');
  const before = (await smtp.inbox()).length;
  await expect((await connect()).send(letter)).rejects.toThrow('offers no STARTTLS');
  await (await connect({ plaintext: true })).send(letter);
  expect((await smtp.inbox()).slice(before)).toMatchObject([{ tls: false }]);
});

test('conflicting settings are named', () => {
  const read = (more: Record<string, string>) => () => readConfig({ XDG_CONFIG_HOME: '/nowhere', ...more });
  const url = { SMTP_URL: 'smtp://mail.example.com', SMTP_FROM: 'gantry@example.com' };
  expect(read({})().mail).toBeUndefined();
  expect(read(url)().mail).toMatchObject({ plaintext: false });
  expect(read({ ...url, SMTP_PLAINTEXT_HOST: 'mail.example.com' })().mail).toMatchObject({ plaintext: true });
  expect(read({ ...url, SMTP_PLAINTEXT_HOST: 'other.example.com' })).toThrow('SMTP_PLAINTEXT_HOST must be the host');
  expect(read({ ...url, SMTP_URL: 'smtps://mail.example.com', SMTP_PLAINTEXT_HOST: 'mail.example.com' })).toThrow(
    'SMTP_PLAINTEXT_HOST',
  );
  expect(read({ SMTP_URL: url.SMTP_URL })).toThrow('SMTP_FROM is missing');
  expect(read({ ...url, SMTP_URL: 'http://mail.example.com' })).toThrow('SMTP_URL');
  expect(read({ ...url, SMTP_FROM: 'a, b@example.com' })).toThrow('SMTP_FROM');
});
