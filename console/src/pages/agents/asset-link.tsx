import { parseRef, parseVersionRef } from '@gantry/contract/refs.ts';
import { Link } from '@tanstack/react-router';

/** `tools/search`, as a link to its page. */
export function AssetLink({ at }: { at: string }) {
  const found = parseRef(at) ?? parseVersionRef(at);
  if (found === undefined) return at;
  const { kind, name } = found;
  const link =
    kind === 'agent' || kind === 'orchestration'
      ? ({ to: `/${kind}s/$name`, params: { name } } as const)
      : ({ to: '/registry/$kind/$name', params: { kind, name } } as const);
  return (
    <Link {...link} className="mr-2 text-accent">
      {at}
    </Link>
  );
}
