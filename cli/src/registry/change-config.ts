import { isDeepStrictEqual } from 'node:util';
import { nextVersion, type VersionPart } from '@gantry/project/agent-yaml/bump-version.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { misuse, CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { difference } from '../view/difference.ts';
import { openEditor } from './open-editor.ts';
import { checkedConfig, printConfig, readTypedConfig, schemaLine, type Config } from './typed-config.ts';

export interface Wish {
  file: string | undefined;
  config: string | undefined;
  bump: VersionPart | undefined;
  version: string | undefined;
  /** True when nothing else is asked for: then the editor opens unless a flag gives a config. */
  ask: boolean;
}

/** The config and its version, after showing the difference; undefined when it is unchanged. */
export async function changeConfig(
  session: Session,
  kind: ConfiguredKind,
  before: Answer<Endpoints['registry.show']>,
  { bump = 'patch', ask, ...wish }: Wish,
): Promise<{ version: string; config: Config } | undefined> {
  const had = await printConfig(before.config ?? {});
  const typed = await readTypedConfig(kind, wish);
  const isEdited = typed === undefined && ask;
  const { config } =
    typed ??
    (isEdited
      ? await editedConfig(session, kind, before.name, schemaLine(session.server, kind) + had)
      : { config: undefined });
  if (config === undefined || isDeepStrictEqual(config, before.config)) return undefined;
  const version = wish.version ?? nextVersion(before.latest_version ?? '0.0.0', bump);
  if (version === undefined) throw misuse('There is no next version', 'Give one with --version.');
  session.output.show([...difference(had.split('\n'), (await printConfig(config)).split('\n'))]);
  if (isEdited && !(await session.prompt.confirm(`Save this as ${before.ref}@${version}?`, '--file')))
    throw new CliRefusal('declined', `${before.ref} is unchanged`);
  return { version, config };
}

async function editedConfig(session: Session, kind: ConfiguredKind, name: string, had: string) {
  if (!(await session.prompt.canAsk()))
    throw misuse(
      '--file is needed: svc cannot open an editor here',
      'Give --file or --config, or run this at a terminal.',
    );
  for (let written = had; ;) {
    written = openEditor(session.config, name, written);
    try {
      return await checkedConfig(kind, written, `${name}.yaml`);
    } catch (error) {
      if (!(error instanceof CliRefusal)) throw error;
      session.output.show(error.more.view ?? []);
      if (!(await session.prompt.confirm(`${error.message}. Edit it again?`, '--file'))) throw error;
    }
  }
}
