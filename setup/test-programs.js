// @ts-check
import { existsSync } from 'node:fs';
import { installDebianPackages } from './packages/debian.js';

/**
 * Programs that tests run beside the service: a syslog daemon that speaks TLS, openssl for its certificate, proxies, a scanner for SQL
 * injection, the shells that svc completes in, systemd-analyze, a registry of images, compose, an SSH daemon, and a browser for the console. The FAQ
 * of Debian is a corpus for knowledge bases.
 */
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
  { package: 'zsh', at: ['/usr/bin/zsh', '/bin/zsh'] },
  { package: 'fish', at: ['/usr/bin/fish'] },
  { package: 'systemd', at: ['/usr/bin/systemd-analyze'] },
  { package: 'docker-registry', at: ['/usr/bin/docker-registry'] },
  { package: 'docker-compose', at: ['/usr/bin/docker-compose', '/usr/local/bin/docker-compose'] },
  { package: 'openssh-server', at: ['/usr/sbin/sshd'] },
  { package: 'chromium', at: ['/usr/bin/chromium'] },
  { package: 'debian-faq', at: ['/usr/share/doc/debian/FAQ/debian-faq.en.txt.gz'] },
  { package: 'fonts-liberation', at: ['/usr/share/fonts/truetype/liberation'] },
];

const named =
  'rsyslog with TLS by openssl, nginx, haproxy, sqlmap, zsh, fish, systemd, docker-registry, docker-compose, sshd, chromium with a font, and the FAQ of Debian';

/** @param {(doing: string) => void} say */
export async function ensureTestPrograms(say) {
  const missing = needed.filter(({ at }) => !at.some((path) => existsSync(path)));
  if (missing.length === 0) return `${named} are installed`;
  await installDebianPackages({
    packages: missing.map((each) => each.package),
    reason: `the tests use real programs around the service: ${named}`,
    elsewhere: `Run the tests on Debian or Ubuntu, in a container for example: they need ${named}.`,
    say,
  });
  return `${named} installed`;
}
