// @ts-check
import { existsSync } from 'node:fs';
import { installDebianPackages } from './debian.js';

/** What the tests of the audit log's copies need: a syslog daemon that speaks TLS, and openssl for its certificate. */
const needed = [
  { package: 'rsyslog', at: ['/usr/sbin/rsyslogd'] },
  {
    package: 'rsyslog-openssl',
    at: ['x86_64-linux-gnu/', 'aarch64-linux-gnu/', ''].map((folder) => `/usr/lib/${folder}rsyslog/lmnsd_ossl.so`),
  },
  { package: 'openssl', at: ['/usr/bin/openssl'] },
];

/** @param {(doing: string) => void} say */
export async function ensureLogReceiver(say) {
  const missing = needed.filter(({ at }) => !at.some((path) => existsSync(path)));
  if (missing.length === 0) return 'rsyslog is installed';
  await installDebianPackages({
    packages: missing.map((each) => each.package),
    reason: 'the tests send the audit log to a real syslog daemon',
    elsewhere: 'Run the tests on Debian or Ubuntu, in a container for example: they need rsyslog with TLS by openssl.',
    say,
  });
  return 'rsyslog installed';
}
