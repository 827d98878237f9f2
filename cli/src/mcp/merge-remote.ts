import type { ServerWay } from '@gantry/contract/assets/outside-registry.ts';
import { picked } from '../registry/compare-config.ts';
import { misuse } from '../refusal.ts';
import { kept_fields } from './kept-fields.ts';
import type { ServerWish } from './plan-server-import.ts';

/** The config of an address, with what people have set beside it. */
export function mergeRemote(
  { of }: ServerWay,
  imported: Record<string, unknown>,
  { secrets, env }: Pick<ServerWish, 'secrets' | 'env'>,
): (before: Record<string, unknown>) => object {
  const [secret, ...others] = secrets;
  if (others.length > 0) throw misuse(`${of} takes one secret, as its bearer token`);
  if (Object.keys(env).length > 0) throw misuse(`${of} is an address, and has no variables`);
  return (before) => {
    const isSame = before['url'] !== undefined;
    const kept = picked(before, isSame ? [...kept_fields, 'as', 'oauth'] : kept_fields);
    const named = secret ?? (isSame ? before['secret'] : undefined) ?? imported['secret'];
    const { secret: _, ...rest } = imported;
    // Calls with a credential of the caller have no secret of the team.
    return { ...kept, ...rest, ...(kept['as'] === undefined && named !== undefined && { secret: named }) };
  };
}
