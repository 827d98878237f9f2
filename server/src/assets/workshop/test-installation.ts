import { openSandboxes, type BuildSettings, type Sandboxes } from './sandboxes.ts';
import { connectEngine, type Engine } from '../docker/client.ts';
import type { Config } from '../../ground/config/config.ts';
import { openFirewall } from '../docker/firewall.ts';

export interface TestInstallation {
  engine: Engine;
  settings: BuildSettings;
  agents_subnet: string;
  open(changes?: Partial<BuildSettings>, onRefusedHost?: (host: string) => void): Promise<Sandboxes>;
}

/** A separate installation in the machine's engine, so that test files do not share containers, networks and volumes. */
export function testInstallation(config: Config): TestInstallation {
  const installation_id = crypto.randomUUID();
  const engine = connectEngine({ docker_host: config.engine_host, installation_id });
  const [second = 0, third = 0] = crypto.getRandomValues(new Uint8Array(2));
  const network = `10.${160 + (second % 16)}.${third}`;
  const settings: BuildSettings = {
    ...config.build,
    base_image: config.base_image,
    sandbox_subnet: `${network}.128/25`,
    limits: { memory_bytes: 2e9, cpus: 2, pids: 256, disk_bytes: 2e9, deadline_seconds: 300 },
  };
  return {
    engine,
    settings,
    agents_subnet: `${network}.0/25`,
    async open(changes, onRefusedHost) {
      const firewall = openFirewall();
      const opened = await openSandboxes({
        alone: true,
        engine,
        firewall,
        settings: { ...settings, ...changes },
        onRefusedHost,
        signal: AbortSignal.timeout(180_000),
      });
      const close = async () => {
        await opened.close();
        firewall.close();
      };
      return { ...opened, close };
    },
  };
}
