// A project from a directory: its files, and the files that are left out with the reason. Links are listed and never followed.
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { leftOut, type LeftOutRule } from '@gantry/project/agent-project/left-out.ts';
import type { ProjectFile, ProjectFiles } from '@gantry/project/agent-project/files.ts';
import { projectLimits } from '@gantry/project/agent-project/limits.ts';
import { misuse } from '../refusal.ts';

export interface LocalProject extends ProjectFiles {
  directory: string;
  left_out: { path: string; rule: LeftOutRule }[];
}

/** The directory, or the agent.yaml in it; default `./agent.yaml`. */
export function readProject(given = '.'): LocalProject {
  const directory = projectDirectory(given);
  refuseOrchestration(given, directory);
  return readFolder(directory);
}

/** The files of any folder that is pushed. */
export function readFolder(directory: string): LocalProject {
  const files: ProjectFile[] = [];
  const left_out: LocalProject['left_out'] = [];

  function walk(relative: string): void {
    for (const entry of readdirSync(path.join(directory, relative), { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      // One more than the limit is enough to refuse, so the walk of a home directory ends early.
      if (files.length > projectLimits.files) return;
      const inner = relative === '' ? entry.name : `${relative}/${entry.name}`;
      const rule = leftOut(inner);
      if (rule !== undefined) left_out.push({ path: inner, rule });
      else if (entry.isDirectory()) walk(inner);
      else
        files.push({
          path: inner,
          size: lstatSync(path.join(directory, inner)).size,
          type: entry.isFile() ? 'file' : 'other',
        });
    }
  }

  walk('');
  return { directory, left_out, list: () => files, read: (file) => readFileSync(path.join(directory, file)) };
}

/** One sentence for each left-out file, without those that every project leaves out (caches, compiled code). */
export function leftOutNotices({ left_out }: LocalProject): string[] {
  return left_out
    .filter(({ rule }) => rule.on_server === 'refused')
    .map(({ path: file, rule }) => `${file} is left out: ${rule.why}`);
}

function refuseOrchestration(given: string, directory: string): void {
  const has = (file: string) => existsSync(path.join(directory, file));
  const isNamed = path.basename(given) === 'orchestration.yaml';
  if (!isNamed && (has('agent.yaml') || !has('orchestration.yaml'))) return;
  throw misuse(
    isNamed ? `${given} is not an agent.yaml` : `${directory} holds an orchestration.yaml, and no agent.yaml`,
    'Check it: `svc orchestration validate`. Store it as a version: `svc orchestration push`.',
  );
}

function projectDirectory(given: string): string {
  const stat = statSync(given, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw misuse(
      `There is no ${given === '.' ? 'directory here' : given}`,
      'Give a directory, its agent.yaml, or a reference such as agents/greeter@1.0.0.',
    );
  }
  if (stat.isDirectory()) return path.resolve(given);
  if (path.basename(given) !== 'agent.yaml' && path.basename(given) !== 'orchestration.yaml')
    throw misuse(
      `${given} is not an agent.yaml`,
      'The service reads agent.yaml; rename the file, or give its directory.',
    );
  return path.resolve(path.dirname(given));
}
