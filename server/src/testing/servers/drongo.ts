// An emulator of Google's Secret Manager. It keeps state only: it refuses no permission and no malformed name.
import { startEmulator, type Emulator } from './emulator.ts';

export const startDrongo = async (): Promise<Emulator> =>
  await startEmulator({
    name: 'drongo',
    python: '>=3.10,<3.14',
    packages: ['drongo==0.8.0'],
    command: (port) => ['drongo', 'server', '--host', '127.0.0.1', '--port', String(port)],
  });
