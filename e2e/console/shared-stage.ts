import { inject } from 'vitest';
import { offeredStage } from '../offered-stage.ts';
import type { ConsoleStage } from './stage.ts';

export interface SharedStage {
  url: string;
  directory: string;
  people: ConsoleStage['people'];
}

/** The stage of global-setup.ts, once it is open. */
export async function sharedStage(): Promise<SharedStage> {
  return await offeredStage(inject('stage_url'));
}
