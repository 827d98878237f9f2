import type { TestProject } from 'vitest/node';
import { offerStage } from '../offered-stage.ts';
import { openConsoleStage } from './stage.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers when the stage is open, or could not be opened. */
    stage_url: string;
  }
}

/** One stage for all files, because it takes a minute. The files of other projects run meanwhile; shared-stage.ts waits for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const offer = await offerStage(openConsoleStage(), ({ gantry: { url, directory }, people }) => ({
    url,
    directory,
    people,
  }));
  project.provide('stage_url', offer.url);
  return async () => await offer.close();
}
