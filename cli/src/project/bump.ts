import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bumpVersion, type VersionPart } from '@gantry/project/agent-yaml.ts';
import { CliRefusal } from '../refusal.ts';

export const versionParts = ['major', 'minor', 'patch'] as const satisfies readonly VersionPart[];

/** Raises the version in a file; the rest of it is unchanged. */
export function bumpFile(directory: string, name: 'agent.yaml' | 'orchestration.yaml', part: VersionPart): string {
  const file = path.join(directory, name);
  const bumped = bumpVersion(readFileSync(file, 'utf8'), part);
  const validate = name === 'agent.yaml' ? 'svc validate' : 'svc orchestration validate';
  if (bumped === undefined)
    throw new CliRefusal('cannot_bump', `${name} has no version to raise`, { hint: `Run \`${validate}\`.` });
  writeFileSync(file, bumped.text);
  return bumped.version;
}
