// An emulator of AWS that runs the tasks of ECS on the engine of this machine. It proves nothing about an account of AWS.
import { startEmulator, type Emulator } from './emulator.ts';

export const startMinistack = async (): Promise<Emulator> =>
  await startEmulator({
    name: 'ministack',
    python: '>=3.11,<3.14',
    packages: ['ministack[full]==1.5.33'],
    command: () => ['ministack'],
    environment: (port) => ({ GATEWAY_PORT: String(port) }),
  });
