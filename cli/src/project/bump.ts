import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bumpVersion, type VersionPart } from '@gantry/contract/agent-yaml.ts';
import { CliRefusal } from '../refusal.ts';
import type { LocalProject } from './read-project.ts';

export const versionParts = ['major', 'minor', 'patch'] as const satisfies readonly VersionPart[];

/** Throws the version in the project's agent.yaml; the rest of the file is unchanged. */
export function bumpProject(project: LocalProject, part: VersionPart): string {
  const file = path.join(project.directory, 'agent.yaml');
  const bumped = bumpVersion(readFileSync(file, 'utf8'), part);
  if (bumped === undefined)
    throw new CliRefusal('cannot_bump', 'agent.yaml has no version to raise', { hint: 'Run `svc validate`.' });
  writeFileSync(file, bumped.text);
  return bumped.version;
}
