import { isScalar, parseDocument } from 'yaml';
import { versionPattern } from '@gantry/contract/refs.ts';
import { beyondYamlLimits, yamlLimits } from '../read-yaml/limits.ts';

export type VersionPart = 'major' | 'minor' | 'patch';

/**
 * Throws the version in the source of an agent.yaml; the rest is unchanged, comments and quotes included.
 * Undefined when it has no version to raise.
 */
export function bumpVersion(text: string, part: VersionPart): { text: string; version: string } | undefined {
  if (text.length > yamlLimits.characters || beyondYamlLimits(text) !== undefined) return undefined;
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
  const node = document.errors.length === 0 ? document.get('version', true) : undefined;
  if (!isScalar(node) || !node.range || typeof node.value !== 'string') return undefined;
  const version = nextVersion(node.value, part);
  if (version === undefined) return undefined;
  const [start, end] = node.range;
  return {
    text: text.slice(0, start) + text.slice(start, end).replace(node.value, version) + text.slice(end),
    version,
  };
}

/** `1.2.3` → `1.2.4`, `1.3.0` or `2.0.0`. */
export function nextVersion(version: string, part: VersionPart): string | undefined {
  const [, major, minor, patch] = versionPattern.exec(version) ?? [];
  if (major === undefined) return undefined;
  const next = {
    major: `${Number(major) + 1}.0.0`,
    minor: `${major}.${Number(minor) + 1}.0`,
    patch: `${major}.${minor}.${Number(patch) + 1}`,
  }[part];
  return versionPattern.test(next) ? next : undefined;
}
