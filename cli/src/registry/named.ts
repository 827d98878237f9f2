import { nearest } from '@gantry/contract/nearest.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseRef, parseVersionRef, versionPattern } from '@gantry/contract/refs.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

export interface Named {
  name: string;
  version: string | undefined;
}

/** `search`, `search@1.0.0`, or the same as references: `tools/search@1.0.0`. */
export function readNamed(kind: AssetKind, given: string): Named {
  const ref = parseVersionRef(given) ?? parseRef(given);
  if (ref !== undefined && ref.kind !== kind)
    throw misuse(`${given} is not a ${kind}`, `Type it as: svc registry ${ref.kind} …`);
  if (ref !== undefined) return { name: ref.name, version: 'version' in ref ? String(ref.version) : undefined };
  const at = given.indexOf('@');
  if (at < 0) return { name: given, version: undefined };
  const version = given.slice(at + 1);
  if (!versionPattern.test(version)) throw misuse(`"${version}" is not a version`, 'Write it like 1.0.0.');
  return { name: given.slice(0, at), version };
}

/** Runs an operation on the asset; when it is missing, the refusal suggests the nearest name. */
export async function suggestAsset<Value>(
  session: Session,
  kind: AssetKind,
  name: string,
  act: () => Promise<Value>,
): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found' || error.hint !== undefined) throw error;
    const { items } = await session.call('registry.list', { params: { kind }, query: { limit: 200 } });
    const meant = nearest(
      name,
      items.map((item) => item.name).filter((each) => each !== name),
    );
    throw new Problem('not_found', {
      detail: `There is no ${kind} "${name}" that you may read`,
      hint: meant === undefined ? `List them: svc registry ${kind} list` : `Did you mean ${meant}?`,
      fields: error.fields,
    });
  }
}
