// @ts-check
import { existsSync } from 'node:fs';
import { installDebianPackages } from './debian.js';

/** The servers that stand before and behind the service in tests: a syslog daemon that speaks TLS, openssl for its certificate, and proxies. */
const needed = [
  { package: 'rsyslog', at: ['/usr/sbin/rsyslogd'] },
  {
    package: 'rsyslog-openssl',
    at: ['x86_64-linux-gnu/', 'aarch64-linux-gnu/', ''].map((folder) => `/usr/lib/${folder}rsyslog/lmnsd_ossl.so`),
  },
  { package: 'openssl', at: ['/usr/bin/openssl'] },
  { package: 'nginx', at: ['/usr/sbin/nginx'] },
  { package: 'haproxy', at: ['/usr/sbin/haproxy'] },
];

/** @param {(doing: string) => void} say */
export async function ensureTestServers(say) {
  const missing = needed.filter(({ at }) => !at.some((path) => existsSync(path)));
  if (missing.length === 0) return 'rsyslog, nginx and haproxy are installed';
  await installDebianPackages({
    packages: missing.map((each) => each.package),
    reason: 'the tests send the audit log to a real syslog daemon, and requests through real proxies',
    elsewhere:
      'Run the tests on Debian or Ubuntu, in a container for example: they need rsyslog with TLS by openssl, nginx and haproxy.',
    say,
  });
  return 'rsyslog, nginx and haproxy installed';
}
