// The connection to the mail server. It uses TLS with a verified certificate, unless the operator listed the host as one without. A server
// that removes STARTTLS is refused before the password or an address is sent. An error text has no word of the server's, because that may
// repeat a secret.
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { MailConfig } from '../../ground/config/config.ts';
import { within } from '../../ground/within.ts';
import type { Letter } from './compose.ts';

export interface MailServer {
  /** For people: the server and the kind of connection. */
  name: string;
  /** Throws MailFailure. */
  send(letter: Letter): Promise<void>;
  /** Connects and signs in, but sends nothing. Throws MailFailure. */
  verify(): Promise<void>;
}

/** The reason why a mail was not sent; `final` when a later attempt would fail too. */
export class MailFailure extends Error {
  readonly final: boolean;

  constructor(message: string, final: boolean) {
    super(message);
    this.final = final;
  }
}

const connect_ms = 10_000;
/** The limit for one mail; the lease of its sender must be longer. */
export const send_ms = 60_000;

export async function connectMailServer({ url, from, ca_file, plaintext }: MailConfig): Promise<MailServer> {
  // A service without mail saves 5 MB.
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname: host, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const own = ca_file === undefined ? [] : [await readFile(ca_file, 'utf8')];
  const transport = createTransport({
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !plaintext,
    ignoreTLS: plaintext,
    tls: { ca: [...rootCertificates, ...own], minVersion: 'TLSv1.2', rejectUnauthorized: true },
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: connect_ms,
    dnsTimeout: connect_ms,
    greetingTimeout: connect_ms,
    socketTimeout: send_ms / 2,
    // A mail is text of this service; it names no file or address to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const how = secure ? 'TLS' : plaintext ? 'no TLS, as SMTP_PLAINTEXT_HOST says' : 'STARTTLS';
  return {
    name: `${host} (${how})`,
    send: async ({ to, subject, text, message_id }) => {
      const mail = {
        from: { name: 'Gantry', address: from },
        to: { name: '', address: to },
        // Exactly one recipient, independent of the headers.
        envelope: { from, to: [to] },
        subject,
        text,
        messageId: message_id,
        headers: { 'Auto-Submitted': 'auto-generated' },
      };
      await inTime(transport.sendMail(mail));
    },
    verify: async () => await inTime(transport.verify()),
  };
}

async function inTime(work: Promise<object | true>): Promise<void> {
  const done = await within(send_ms, work).catch((error: unknown) => {
    throw toFailure(error);
  });
  if (done === undefined) throw new MailFailure(`no answer within ${send_ms / 1000} s`, false);
}

function toFailure(error: unknown): MailFailure {
  const { code = 'unknown', responseCode, command } = Object(error) as Record<string, unknown>; // nodemailer's; each is checked here
  const answered = typeof responseCode === 'number' ? ` (the server answered ${responseCode})` : '';
  const about_letter = typeof command === 'string' && /^(MAIL FROM|RCPT TO|DATA)$/.test(command);
  const final = about_letter && typeof responseCode === 'number' && responseCode >= 500;
  return new MailFailure(`${meanings[String(code)] ?? String(code)}${answered}`, final);
}

const meanings: Record<string, string> = {
  EAUTH: 'the mail server refuses the user name and password',
  ECONNECTION: 'the mail server cannot be reached',
  ECONNREFUSED: 'the mail server cannot be reached',
  ESOCKET: 'the connection to the mail server failed, or its certificate is not trusted',
  EDNS: 'the name of the mail server does not resolve',
  ETIMEDOUT: 'the mail server does not answer in time',
  ETLS: 'the mail server offers no STARTTLS, so nothing is sent',
  EENVELOPE: 'the mail server refuses the sender or the recipient',
  EMESSAGE: 'the mail server refuses the message',
};
