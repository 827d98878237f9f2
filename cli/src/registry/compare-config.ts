// What an import from elsewhere changes in an asset: it is new, it differs, or it is as it was.
import { isDeepStrictEqual } from 'node:util';
import { nextVersion } from '@gantry/project/agent-yaml/bump-version.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef } from '@gantry/contract/refs.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { difference } from '../view/difference.ts';
import { line, strong, type View } from '../view/view.ts';
import { checkedConfig, printConfig, type Config } from './typed-config.ts';

export interface ComparedConfig {
  config: Config;
  change: 'new' | 'changed' | 'same';
  /** Of a new or a changed one. */
  version: string;
  difference: View;
}

interface Imported {
  kind: ConfiguredKind;
  name: string;
  /** The whole config, of what was imported and of what people have set before. */
  merge: (before: Record<string, unknown>) => object;
}

export async function compareConfig(session: Session, { kind, name, merge }: Imported): Promise<ComparedConfig> {
  const before = await found(session, { kind, name });
  const ref = printRef({ kind, name });
  const { config } = await checkedConfig(kind, JSON.stringify(merge(before?.config ?? {})), ref);
  if (before === undefined) return { config, change: 'new', version: '1.0.0', difference: [] };
  const version = nextVersion(before.latest_version ?? '0.0.0', 'minor');
  if (version === undefined) throw misuse(`${ref} has no next version`, 'Delete it first.');
  if (isDeepStrictEqual(config, before.config)) return { config, change: 'same', version, difference: [] };
  const [had, has] = [await printConfig(before.config ?? {}), await printConfig(config)];
  const changes = difference(had.split('\n'), has.split('\n'));
  return { config, change: 'changed', version, difference: [line(strong(`${ref}@${version}`)), ...changes] };
}

/** What an import keeps of a config. */
export const picked = (config: Record<string, unknown>, fields: readonly string[]) =>
  Object.fromEntries(Object.entries(config).filter(([field]) => fields.includes(field)));

async function found(session: Session, params: { kind: ConfiguredKind; name: string }) {
  try {
    return await session.call('registry.show', { params });
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}
