// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand, tail } from '../command.js';
import { outsideEnvironment, readConfig } from '../config.js';
import { SetupProblem } from '../step.js';
import { ensureGo } from './go.js';

/** Each folder below it is a Go module of its own, so that the needs of one do not change the versions of another. */
const sources = new URL('go', import.meta.url).pathname;
const modules = ['pause', 'network-policy', 'metrics-server', 'coredns', 'helm', 'hyperkube'];
/** Its folder pins it; the program is that of its authors. */
const helm = 'helm.sh/helm/v3/cmd/helm';
const inHyperkube = [
  'etcd',
  'kubectl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'kubelet',
];

/** Hyperkube needs seven minutes on two cores with an empty build cache. */
const build_timeout_seconds = 1200;

/**
 * Builds Kubernetes from its sources, once: the folder has the digest of the sources as its name.
 *
 * @param {(doing: string) => void} say
 * @returns {Promise<{ folder: string, isNew: boolean }>} the folder with the programs
 */
export async function ensureBinaries(say) {
  const folder = join(readConfig().cacheFolder, 'kubernetes', digestOfSources());
  if (existsSync(folder)) return { folder, isNew: false };
  const go = await ensureGo(say);
  removeUnfinished(dirname(folder));
  const unfinished = `${folder}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const name of modules) {
      say(`go build ${name}`);
      await build(go, name, unfinished);
    }
    for (const name of inHyperkube) symlinkSync('hyperkube', join(unfinished, name));
    // Another process may have built the same meanwhile.
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return { folder, isNew: true };
}

/** What builds left behind that were killed. @param {string} builds */
function removeUnfinished(builds) {
  if (!existsSync(builds)) return;
  for (const name of readdirSync(builds)) {
    const pid = name.split('-')[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(builds, name), { recursive: true });
  }
}

/** @param {string} go @param {string} name of the module @param {string} folder */
async function build(go, name, folder) {
  const argv = [
    go,
    'build',
    '-trimpath',
    '-buildvcs=false',
    '-ldflags',
    linkerFlags(name),
    '-o',
    join(folder, name),
    name === 'helm' ? helm : '.',
  ];
  const { exit_code, output } = await runCommand(argv, {
    cwd: join(sources, name),
    env: outsideEnvironment({ CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', GOWORK: 'off' }),
    timeout_seconds: build_timeout_seconds,
  });
  if (exit_code === 0) return;
  throw new SetupProblem({
    cause: `go build ${name} ended with exit code ${exit_code}\n${tail(output)}`,
    fix: 'Look at the lines above; most often the module proxy of `go env GOPROXY` is unreachable, or the disk is full.',
  });
}

/** Programs that tell their version, or check one. A plain build says v0.0.0. @param {string} name */
function linkerFlags(name) {
  const set = name === 'hyperkube' ? valuesOfKubernetes() : name === 'helm' ? valuesOfHelm() : [];
  return ['-s -w', ...set.map((value) => `-X ${value}`)].join(' ');
}

/** It tells its nodes and clients. */
function valuesOfKubernetes() {
  const [gitVersion, gitMajor, gitMinor] = versionIn('hyperkube', 'k8s.io/kubernetes');
  const values = { gitVersion, gitMajor, gitMinor, gitTreeState: 'clean' };
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((place) =>
    Object.entries(values).map(([variable, value]) => `${place}.${variable}=${value}`),
  );
}

/** A chart says which Kubernetes it needs. Without a cluster, that is the one of these tests. */
function valuesOfHelm() {
  const [, major, minor] = versionIn('hyperkube', 'k8s.io/kubernetes');
  const [version] = versionIn('helm', 'helm.sh/helm/v3');
  const place = 'helm.sh/helm/v3/pkg/chartutil';
  return [
    `helm.sh/helm/v3/internal/version.version=${version}`,
    `${place}.k8sVersionMajor=${major}`,
    `${place}.k8sVersionMinor=${minor}`,
  ];
}

/** @param {string} name of our module @param {string} needed @returns {string[]} the version, and its first two numbers */
function versionIn(name, needed) {
  const pattern = new RegExp(`${needed.replaceAll('.', '\\.')} (v(\\d+)\\.(\\d+)\\.\\d+)`);
  return (pattern.exec(readFileSync(join(sources, name, 'go.mod'), 'utf8')) ?? []).slice(1);
}

function digestOfSources() {
  const hash = createHash('sha256');
  for (const name of modules)
    for (const file of readdirSync(join(sources, name)).toSorted())
      hash
        .update(`${name}/${file}\0`)
        .update(readFileSync(join(sources, name, file)))
        .update('\0');
  return hash.digest('hex').slice(0, 16);
}
