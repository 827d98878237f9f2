import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { openConsoleStage } from './stage.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers when the stage is open, or could not be opened. */
    stage_url: string;
  }
}

/** One stage for all files, because it takes a minute. The files of other projects run meanwhile; shared-stage.ts waits for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const opening = openConsoleStage();
  opening.catch(() => {}); // each file of the project reports it
  const server = createServer((_, response) => {
    void opening.then(
      ({ gantry: { url, directory }, people }) => response.end(JSON.stringify({ url, directory, people })),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  project.provide('stage_url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`); // it listens on TCP
  return async () => {
    server.close();
    server.closeAllConnections();
    const stage = await opening.catch(() => undefined);
    await stage?.stop();
  };
}
