// The run in the tests of the journal: three steps. Each creates one file, whose name follows from the run, and removes it
// again on undo.
import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@gantry/contract/problems.ts';
import type { Run, RunKind } from '../../ground/runs/run.ts';

export const storySteps = ['first', 'second', 'third'] as const;

export interface StoryInput {
  /** The folder of the files; its `journal` lists every attempt. */
  folder: string;
  /** This step fails after it created its file. */
  fails?: string;
  /** This step waits only for its signal. */
  waits?: string;
  /** The undo of this step fails. */
  sticks?: string;
}

/** The process is killed here, at its first arrival. */
export interface Trap {
  step: string;
  moment: 'before' | 'after' | 'undo';
  signal: 'SIGKILL' | 'SIGSTOP';
}

export function storyKind(trap?: Trap): RunKind<StoryInput> {
  return {
    shares: { max: 8, team: 8, user: 8 },
    work: async (run) => {
      const made: string[] = [];
      for (const name of storySteps) {
        const thing = join(run.input.folder, `${run.id}-${name}`);
        made.push(
          await run.step(
            name,
            (at) => make(at, name, thing, trap),
            () => takeAway(run, name, thing, trap),
          ),
        );
      }
      return made;
    },
  };
}

async function make(run: Run<StoryInput>, name: string, thing: string, trap?: Trap): Promise<string> {
  const { folder, fails, waits } = run.input;
  await tell(folder, `${name} begun by ${run.fence}`);
  run.log(`making ${name}`);
  spring(trap, name, 'before');
  // Looks before it creates: an earlier attempt may have come this far.
  if (!existsSync(thing)) {
    await writeFile(thing, String(run.fence), { flag: 'wx' });
    await tell(folder, `${name} made by ${run.fence}`);
  }
  spring(trap, name, 'after');
  if (waits === name) await sleep(60_000, undefined, { signal: run.signal });
  if (fails === name) throw new Problem('build_failed', { detail: `${name} failed` });
  return `${name}:${run.fence}`;
}

async function takeAway(run: Run<StoryInput>, name: string, thing: string, trap?: Trap): Promise<void> {
  if (run.input.sticks === name) throw new Problem('engine_unavailable', { detail: `${name} sticks` });
  await tell(run.input.folder, `${name} undone by ${run.fence}`);
  spring(trap, name, 'undo');
  await rm(thing, { force: true });
}

async function tell(folder: string, line: string): Promise<void> {
  await appendFile(join(folder, 'journal'), `${line}\n`);
}

function spring(trap: Trap | undefined, step: string, moment: Trap['moment']): void {
  if (trap?.step === step && trap.moment === moment) process.kill(process.pid, trap.signal);
}
