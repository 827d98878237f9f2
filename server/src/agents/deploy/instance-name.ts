import { createHash } from 'node:crypto';

export interface NthInstance {
  revision_id: string;
  n: number;
}

/** The id of the nth instance of a revision. By it, a deploy that continues after a crash finds the places of its earlier attempt. */
export function instanceId({ revision_id, n }: NthInstance): string {
  const hex = createHash('sha256').update(`instance ${n} of ${revision_id}`).digest('hex');
  // A UUID of version 8, whose bits an application may choose.
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

export function instanceName({ agent, revision_id, n }: NthInstance & { agent: string }): string {
  return `svc-${agent}-${revision_id.replaceAll('-', '').slice(0, 8)}-${n}`;
}
