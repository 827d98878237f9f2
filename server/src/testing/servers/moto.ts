// An emulator of AWS that keeps state and runs nothing. Its Application Auto Scaling knows the services of its own ECS.
import { startEmulator, type Emulator } from './emulator.ts';

export const startMoto = async (): Promise<Emulator> =>
  await startEmulator({
    name: 'moto',
    python: '>=3.11,<3.14',
    packages: ['moto[server]==5.2.5'],
    command: (port) => ['moto_server', '-H', '127.0.0.1', '-p', String(port)],
  });
