import { parseRef } from '@gantry/contract/refs.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** `asset` is a reference without a version, such as `tools/search`. */
export function AssetLink({ asset, children }: { asset: string; children: ReactNode }) {
  const ref = parseRef(asset);
  if (ref === undefined) return children;
  return (
    <Link
      to="/registry/$kind/$name"
      params={{ kind: ref.kind, name: ref.name }}
      className="text-accent hover:underline"
    >
      {children}
    </Link>
  );
}
