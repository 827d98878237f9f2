// The way to the mail server. TLS is spoken, and its certificate verified, unless the operator named the host as one without: a server that
// takes STARTTLS away is refused before the password or an address is sent. What a failure is called carries no word of the server's, since
// those may repeat what was sent to it.
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { MailConfig } from '../config.ts';
import type { Letter } from './compose.ts';

export interface MailServer {
  /** For people: where mail goes, and how. */
  name: string;
  /** Throws MailFailure. */
  send(letter: Letter): Promise<void>;
  /** Connects and signs in, and sends nothing. Throws MailFailure. */
  verify(): Promise<void>;
}

/** Why a mail did not go out; `final` when the server will not take it later either. */
export class MailFailure extends Error {
  readonly final: boolean;

  constructor(message: string, final: boolean) {
    super(message);
    this.final = final;
  }
}

const connect_ms = 10_000;
/** Bounds one letter, and what the lease of its sender must outlast. */
export const send_ms = 60_000;

export async function connectMailServer({ url, from, ca_file, plaintext }: MailConfig): Promise<MailServer> {
  // 5 MB that a service without mail does not hold.
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
    // A letter is text of ours; it names no file or address to read from.
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
        // Exactly one recipient, whatever the headers say.
        envelope: { from, to: [to] },
        subject,
        text,
        messageId: message_id,
        headers: { 'Auto-Submitted': 'auto-generated' },
      };
      await within(send_ms, transport.sendMail(mail));
    },
    verify: async () => void (await within(send_ms, transport.verify())),
  };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new MailFailure(`no answer within ${ms / 1000} s`, false)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    throw error instanceof MailFailure ? error : toFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

function toFailure(error: unknown): MailFailure {
  const { code = 'unknown', responseCode, command } = Object(error) as Record<string, unknown>; // nodemailer's; each is checked here
  const answered = typeof responseCode === 'number' ? ` (the server answered ${responseCode})` : '';
  const about_letter = typeof command === 'string' && /^(MAIL FROM|RCPT TO|DATA)$/.test(command);
  const final = about_letter && typeof responseCode === 'number' && responseCode >= 500;
  return new MailFailure(`${meanings[String(code)] ?? String(code)}${answered}`, final);
}

const meanings: Record<string, string> = {
  EAUTH: 'the mail server does not take the user name and password',
  ECONNECTION: 'the mail server cannot be reached',
  ECONNREFUSED: 'the mail server cannot be reached',
  ESOCKET: 'the connection to the mail server cannot be made, or its certificate is not trusted',
  EDNS: 'the name of the mail server does not resolve',
  ETIMEDOUT: 'the mail server does not answer in time',
  ETLS: 'the mail server offers no STARTTLS, and nothing is sent without',
  EENVELOPE: 'the mail server refuses the sender or the recipient',
  EMESSAGE: 'the mail server refuses the message',
};
