import { expect, test } from 'vitest';
import { indexConfiguration, indexHosts, pythonHosts } from './index-settings.ts';
import type { BuildSettings } from '../sandboxes.ts';

const settings: BuildSettings = {
  base_image: 'base',
  sandbox_subnet: '10.0.0.0/24',
  source_distributions: 'refuse',
  limits: { memory_bytes: 1, cpus: 1, pids: 1, disk_bytes: 1, deadline_seconds: 1 },
};
const facts = {
  python_version: '3.12.1',
  index_url: 'https://index.example/simple',
  file_host: 'files.example',
  debian: { release: 'bookworm', mirror: 'http://debian.example/debian' },
};

test("without a configured index, the hosts are the defaults of the base image's pip", () => {
  expect(indexHosts(settings, facts)).toEqual([
    { host: 'index.example', port: 443, configured: false },
    { host: 'files.example', port: 443, configured: false },
  ]);
});

test('with a configured index, only its hosts and its file hosts are allowed', () => {
  const own = { ...settings, index_url: 'http://mirror.internal:8081/simple', index_hosts: ['files.internal'] };
  expect(indexHosts(own, facts)).toEqual([
    { host: 'mirror.internal', port: 8081, configured: true },
    { host: 'files.internal', port: 443, configured: true },
  ]);
});

test('the hosts of Pythons are open only where the service obtains Pythons', () => {
  const own = { ...settings, python_mirror: 'https://pythons.internal:8443/releases' };
  expect(pythonHosts(own, facts)).toEqual([]);
  expect(pythonHosts({ ...own, obtains_pythons: true }, facts)).toEqual([
    { host: 'debian.example', port: 80, configured: false },
    { host: 'pythons.internal', port: 8443, configured: true },
  ]);
});

test("the index's credentials are only in files", () => {
  const own = { ...settings, index_url: 'https://ada:s3cret@mirror.internal/simple' };
  const { env, files } = indexConfiguration(own, { proxy_url: 'http://10.0.0.1:1', authorities: undefined });
  expect(JSON.stringify(env)).not.toContain('s3cret');
  expect(files['uv.toml']).toContain('url = "https://ada:s3cret@mirror.internal/simple"\ndefault = true');
  expect(files['pip.conf']).toContain('index-url = https://ada:s3cret@mirror.internal/simple');
});
