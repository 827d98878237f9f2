// The container engine of the service itself. It builds the images that it runs.
import type { DoorConfig } from '../../../../ground/config/agent-network-settings.ts';
import type { Target } from '../target.ts';
import { dockerTarget, type Room } from './docker-target.ts';
import { secretDirectory } from './secret-directory.ts';

export interface LocalSettings {
  open: () => Promise<Omit<Room, 'secrets'> & { /** On tmpfs. See memoryDirectory(). */ secrets_directory: string }>;
  /** A door at another address than the host's on the container's network. */
  door: Pick<DoorConfig, 'url' | 'port'>;
  /** The port of the proxy for containers with limits. */
  egress_port: number;
}

export function localTarget({ open, egress_port, door }: LocalSettings): Target {
  return dockerTarget({
    open: async () => {
      const { secrets_directory, ...room } = await open();
      return { ...room, secrets: secretDirectory(secrets_directory) };
    },
    deliver: async (image) => image,
    outgoing: ({ gateway, limited }) => ({
      service_url: door.url ?? `http://${gateway}:${door.port}`,
      ...(limited ? { proxy_url: `http://${gateway}:${egress_port}` } : {}),
    }),
  });
}
