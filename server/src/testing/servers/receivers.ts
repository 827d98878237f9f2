// Real receivers of the audit log: our HTTP server in a separate process, and Debian's rsyslog.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EntryLine } from '@gantry/contract/audit/audit-stream.ts';
import type { PushReceiverSettings } from './push-receiver.ts';
import { running, type Running } from './running.ts';

export interface Certificate {
  key: string;
  cert: string;
}

/** For localhost and 127.0.0.1, self-signed. */
export async function certificate(folder: string, name: string): Promise<Certificate> {
  const made = { key: join(folder, `${name}.key`), cert: join(folder, `${name}.pem`) };
  const what = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const whom = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await promisify(execFile)('openssl', ['req', ...what, ...whom, '-keyout', made.key, '-out', made.cert]);
  return made;
}

export interface HttpReceiving extends Running {
  batches(): Promise<{ headers: Record<string, string>; body: string }[]>;
}

export function httpReceiving(settings: PushReceiverSettings): HttpReceiving {
  const program = join(import.meta.dirname, 'push-receiver.ts');
  const run = running(
    () => spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: 'ignore' }),
    settings.port,
  );
  const batches = async () =>
    (await linesOf(settings.file)).map((line) => JSON.parse(line) as { headers: Record<string, string>; body: string });
  return { ...run, batches };
}

export interface SyslogReceiving extends Running {
  /** The messages of this input, as rsyslog understood them: `priority app-name msgid message`. */
  messages(way: 'tcp' | 'tls' | 'udp'): Promise<string[]>;
}

/** rsyslogd with an input of each kind, each with its own file. */
export async function syslogReceiving(
  folder: string,
  { tcp, tls, udp }: { tcp: number; tls: number; udp: number },
  { key, cert }: Certificate,
): Promise<SyslogReceiving> {
  const config = join(folder, 'rsyslog.conf');
  const ruleset = (name: string) =>
    `ruleset(name="${name}") { action(type="omfile" file="${join(folder, name)}" template="told" flushOnTXEnd="on") }`;
  await writeFile(
    config,
    `global(workDirectory="${folder}" maxMessageSize="64k" defaultNetstreamDriver="ossl"
  defaultNetstreamDriverCAFile="${cert}" defaultNetstreamDriverCertFile="${cert}" defaultNetstreamDriverKeyFile="${key}")
module(load="imtcp")
module(load="imudp")
template(name="told" type="string" string="%pri% %app-name% %msgid% %msg%\\n")
${ruleset('tcp')}
${ruleset('tls')}
${ruleset('udp')}
input(type="imtcp" port="${tcp}" address="127.0.0.1" ruleset="tcp")
input(type="imtcp" port="${tls}" address="127.0.0.1" ruleset="tls" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
input(type="imudp" port="${udp}" address="127.0.0.1" ruleset="udp" rcvbufSize="1m")
`,
  );
  const program = ['/usr/sbin/rsyslogd', '/sbin/rsyslogd'].find(existsSync);
  if (program === undefined) throw new Error('rsyslogd is not installed; `npm test` installs it');
  const args = ['-n', '-f', config, '-i', join(folder, 'rsyslog.pid')];
  const run = running(() => spawn(program, args, { stdio: 'ignore' }), tls);
  return { ...run, messages: async (way) => await linesOf(join(folder, way)) };
}

/** The entries in a receiver's messages, in the order of arrival. */
export function entriesIn(lines: readonly string[]): EntryLine[] {
  return lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as EntryLine);
}

async function linesOf(file: string): Promise<string[]> {
  if (!existsSync(file)) return [];
  const text = await readFile(file, 'utf8');
  // A half line is still being written.
  return text.split('\n').slice(0, -1);
}
