import { readFile } from 'node:fs/promises';
import { findBaseImage, type Image } from '../docker/base-image.ts';
import type { Engine } from '../docker/client.ts';
import { guardEgress, type EgressReport } from '../docker/egress.ts';
import type { Firewall } from '../docker/firewall.ts';
import { readBaseFacts, type BaseFacts } from './package-index/index-hosts.ts';
import { hostOf, indexConfiguration, indexHosts, pythonHosts } from './package-index/index-settings.ts';
import { startIndexProxy } from './package-index/index-proxy.ts';
import { ensureNetwork } from '../docker/networks.ts';
import { removeOldCaches } from './package-cache.ts';
import { runInSandbox, sweepSandboxes, type SandboxInput, type SandboxLimits, type SandboxResult } from './sandbox.ts';
import { ensureUv, uvDirectory } from './uv.ts';

export interface BuildSettings {
  base_image: string;
  /** The index URL, possibly with credentials. By default the index of the base image's pip. */
  index_url?: string | undefined;
  extra_index_urls?: string[] | undefined;
  /** Further hosts of the index's files. */
  index_hosts?: string[] | undefined;
  /** A PEM file with the trusted certificate authorities of sandboxes. */
  ca_file?: string | undefined;
  /** A company proxy to the index, `http://host:port`. */
  upstream_proxy?: string | undefined;
  /** Instead of npm's usual registry. */
  npm_registry?: string | undefined;
  /** A mirror of uv's Pythons. */
  python_mirror?: string | undefined;
  /** Sandboxes reach the hosts of Pythons: the mirror of Debian in the base image, and `python_mirror`. */
  obtains_pythons?: boolean | undefined;
  sandbox_subnet: string | undefined;
  /** The build of a source distribution runs its author's code, which can read the index's credentials. */
  source_distributions: 'allow' | 'refuse';
  /** All installations on the engine share an image of packages that the index has, with their hashes. */
  shares_images?: boolean | undefined;
  limits: SandboxLimits;
}

/** The parts for uv's access to the package index from a sandbox, made once for the life of the process. */
export interface Sandboxes {
  engine: Engine;
  settings: BuildSettings;
  base: Image;
  facts: BaseFacts;
  /** The closed destinations of a sandbox, for `doctor`. */
  egress: EgressReport;
  /** Runs a command on the base image with uv and access to the index. */
  run(input: IndexedInput): Promise<SandboxResult>;
  /** Lets sandboxes reach the host of this URL too. Only a configured one may have a private address. */
  reach(url: string, o: { configured: boolean }): void;
  /** The same on another base image, with the same network and proxy. */
  on(base_image: string, signal: AbortSignal): Promise<Sandboxes>;
  close(): Promise<void>;
}

// The services of an installation on one machine share the network, whose firewall opens one port. They serve the same hosts.
const index_port = 3128;

/** Without an image, the base image. */
export type IndexedInput = Omit<SandboxInput, 'image' | 'network' | 'limits'> & { image?: string };

export async function openSandboxes(o: {
  engine: Engine;
  firewall: Firewall;
  settings: BuildSettings;
  onRefusedHost?: (host: string) => void;
  /** No other process of the installation has sandboxes. */
  alone: boolean;
  signal: AbortSignal;
}): Promise<Sandboxes> {
  const { engine, firewall, settings, alone, signal } = o;
  const { limits } = settings;
  await sweepSandboxes(engine, alone ? {} : { older_than_seconds: limits.deadline_seconds + 60 }, signal);
  await removeOldCaches(engine, signal);
  const network = await ensureNetwork(
    engine,
    { purpose: 'sandbox', subnet: settings.sandbox_subnet, internal: true },
    signal,
  );
  const proxy = await startIndexProxy({
    address: network.gateway,
    port: index_port,
    upstream_proxy: settings.upstream_proxy,
    onRefusedHost: o.onRefusedHost,
  });
  const guard = async (until: AbortSignal) => await guardEgress(firewall, { network, host_ports: [proxy.port] }, until);
  const egress = await guard(signal);
  const authorities = settings.ca_file === undefined ? undefined : await readFile(settings.ca_file, 'utf8');
  const index = indexConfiguration(settings, { proxy_url: proxy.url, authorities });

  const on = async (reference: string, until: AbortSignal): Promise<Sandboxes> => {
    const base = await findBaseImage(engine, reference, until);
    const facts = await readBaseFacts(engine, base, { limits, signal: until });
    for (const host of [...pythonHosts(settings, facts), ...indexHosts(settings, facts)]) proxy.allow(host);
    const reachingIndex = async (input: IndexedInput) => {
      // A reload of the machine's firewall also removes these rules.
      await guard(input.signal);
      return await runInSandbox(engine, {
        image: base.id,
        ...input,
        network: network.name,
        limits,
        env: { ...index.env, ...input.env },
        files: { ...index.files, ...input.files },
      });
    };
    const uvVolume = await ensureUv(engine, base, { run: reachingIndex, signal: until });
    const run = (input: IndexedInput) =>
      reachingIndex({ ...input, volumes: [{ name: uvVolume, path: uvDirectory }, ...(input.volumes ?? [])] });
    const reach = (url: string, { configured }: { configured: boolean }) => proxy.allow(hostOf(url, configured));
    return { engine, settings, base, facts, egress, run, reach, on, close: () => proxy.close() };
  };
  try {
    return await on(settings.base_image, signal);
  } catch (error) {
    await proxy.close();
    throw error;
  }
}
