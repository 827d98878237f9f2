import type { BaseFacts } from './index-hosts.ts';
import type { AllowedHost } from './index-proxy.ts';
import type { BuildSettings } from '../sandboxes.ts';

/** The allowed hosts of a sandbox: the hosts of the configured indexes, otherwise the defaults of the base image's pip. */
export function indexHosts(settings: BuildSettings, facts: BaseFacts): AllowedHost[] {
  const configured = [settings.index_url, ...(settings.extra_index_urls ?? [])]
    .filter((url) => url !== undefined)
    .map((url) => hostOf(url, true));
  const further = (settings.index_hosts ?? []).map((host) =>
    hostOf(host.includes('//') ? host : `https://${host}`, true),
  );
  const usual =
    settings.index_url === undefined
      ? [hostOf(facts.index_url, false), hostOf(`https://${facts.file_host}`, false)]
      : [];
  return [...configured, ...further, ...usual];
}

/** The hosts from which a sandbox can take a Python. */
export function pythonHosts({ obtains_pythons, python_mirror }: BuildSettings, { debian }: BaseFacts): AllowedHost[] {
  if (obtains_pythons !== true) return [];
  return [
    ...(debian === null ? [] : [hostOf(debian.mirror, false)]),
    ...(python_mirror === undefined ? [] : [hostOf(python_mirror, true)]),
  ];
}

/**
 * The settings of uv and pip. Credentials are only in files on tmpfs, because arguments and the environment are visible from outside
 * and could be committed.
 */
export function indexConfiguration(
  settings: BuildSettings,
  { proxy_url, authorities }: { proxy_url: string; authorities: string | undefined },
): { env: Record<string, string>; files: Record<string, string> } {
  const files: Record<string, string> = {
    'uv.toml': uvConfiguration(settings),
    'pip.conf': pipConfiguration(settings),
  };
  const env: Record<string, string> = {
    HTTPS_PROXY: proxy_url,
    HTTP_PROXY: proxy_url,
    UV_CONFIG_FILE: '/tmp/in/uv.toml',
    PIP_CONFIG_FILE: '/tmp/in/pip.conf',
    UV_PYTHON_DOWNLOADS: 'never',
    UV_NO_PROGRESS: '1',
    UV_HTTP_TIMEOUT: '60',
    NO_COLOR: '1',
  };
  if (authorities !== undefined) {
    files['authorities.pem'] = authorities;
    env.SSL_CERT_FILE = '/tmp/in/authorities.pem';
    env.PIP_CERT = '/tmp/in/authorities.pem';
  }
  return { env, files };
}

function uvConfiguration({ index_url, extra_index_urls = [] }: BuildSettings): string {
  const index = (url: string, last: boolean) =>
    `[[index]]\nurl = ${JSON.stringify(url)}\n${last ? 'default = true\n' : ''}`;
  return [
    ...extra_index_urls.map((url) => index(url, false)),
    ...(index_url === undefined ? [] : [index(index_url, true)]),
  ].join('\n');
}

function pipConfiguration({ index_url, extra_index_urls = [] }: BuildSettings): string {
  const lines = ['[global]'];
  if (index_url !== undefined) lines.push(`index-url = ${index_url.replaceAll('%', '%%')}`);
  if (extra_index_urls.length > 0) lines.push(`extra-index-url = ${extra_index_urls.join(' ').replaceAll('%', '%%')}`);
  return `${lines.join('\n')}\n`;
}

export function hostOf(url: string, configured: boolean): AllowedHost {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname, port: Number(port || (protocol === 'http:' ? 80 : 443)), configured };
}
