// @ts-check
import { existsSync } from 'node:fs';
import { readConfig } from '../config.js';
import { findExecutable } from '../executable.js';
import { installDebianPackages } from '../packages/debian.js';
import { SetupProblem } from '../step.js';

/** The programs of Debian below and beside Kubernetes. */
const needed = [
  { package: 'containerd', program: 'containerd' },
  { package: 'runc', program: 'runc' },
  { package: 'iptables', program: 'iptables' },
  { package: 'ipset', program: 'ipset' },
  { package: 'iproute2', program: 'ip' },
  { package: 'util-linux', program: 'nsenter' },
  { package: 'procps', program: 'sysctl' },
  { package: 'openssl', program: 'openssl' },
  { package: 'docker-registry', program: 'docker-registry' },
];
const podNetworks = { package: 'containernetworking-plugins', at: '/usr/lib/cni/ptp' };

/** @param {(doing: string) => void} say */
export async function ensureClusterPrograms(say) {
  refuseOtherMachines();
  const { searchPath } = readConfig();
  const missing = needed
    .filter(({ program }) => findExecutable(program, searchPath) === undefined)
    .map((each) => each.package);
  if (!existsSync(podNetworks.at)) missing.push(podNetworks.package);
  if (missing.length === 0) return;
  await installDebianPackages({
    packages: missing,
    reason: 'a cluster of Kubernetes needs more programs',
    elsewhere: `Run these tests on Debian or Ubuntu; they need ${[...needed.map((each) => each.package), podNetworks.package].join(', ')}.`,
    say,
  });
}

function refuseOtherMachines() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new SetupProblem({
      cause: 'a cluster of Kubernetes needs Linux and root: it makes network namespaces and cgroups',
      fix: 'Run it as root on Linux, in a virtual machine for example.',
    });
  if (!existsSync('/sys/fs/cgroup/memory/cgroup.procs'))
    throw new SetupProblem({
      cause: 'this set-up starts nodes on version 1 of the cgroups only, and this machine has version 2',
      fix: 'Start the kernel with systemd.unified_cgroup_hierarchy=0, or give the tests a machine with version 1.',
    });
}
