// @ts-check
import { existsSync } from 'node:fs';
import { installDebianPackages } from './debian.js';

/** What stands around the service in tests: a syslog daemon that speaks TLS, openssl for its certificate, proxies, who looks for holes, and what reads a unit of systemd. */
const needed = [
  { package: 'rsyslog', at: ['/usr/sbin/rsyslogd'] },
  {
    package: 'rsyslog-openssl',
    at: ['x86_64-linux-gnu/', 'aarch64-linux-gnu/', ''].map((folder) => `/usr/lib/${folder}rsyslog/lmnsd_ossl.so`),
  },
  { package: 'openssl', at: ['/usr/bin/openssl'] },
  { package: 'nginx', at: ['/usr/sbin/nginx'] },
  { package: 'haproxy', at: ['/usr/sbin/haproxy'] },
  { package: 'sqlmap', at: ['/usr/bin/sqlmap'] },
  { package: 'systemd', at: ['/usr/bin/systemd-analyze'] },
];

/** @param {(doing: string) => void} say */
export async function ensureTestPrograms(say) {
  const missing = needed.filter(({ at }) => !at.some((path) => existsSync(path)));
  if (missing.length === 0) return 'rsyslog, nginx, haproxy, sqlmap and systemd are installed';
  await installDebianPackages({
    packages: missing.map((each) => each.package),
    reason:
      'the tests send the audit log to a real syslog daemon, requests through real proxies and from sqlmap, and have systemd read a unit',
    elsewhere:
      'Run the tests on Debian or Ubuntu, in a container for example: they need rsyslog with TLS by openssl, nginx, haproxy, sqlmap and systemd.',
    say,
  });
  return 'rsyslog, nginx, haproxy, sqlmap and systemd installed';
}
