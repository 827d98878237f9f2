import type { TestProject } from 'vitest/node';
import { openConsoleStage, type ConsoleStage } from './stage.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    stage: { url: string; directory: string; people: ConsoleStage['people'] };
  }
}

/** One stage for all files, because it takes a minute. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { gantry, people, stop } = await openConsoleStage();
  project.provide('stage', { url: gantry.url, directory: gantry.directory, people });
  return stop;
}
