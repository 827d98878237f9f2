import { onTestFinished } from 'vitest';
import { openOutbound } from '../../ground/outbound/outbound.ts';
import type { Listed, SourceContext } from '../../agents/knowledge/sources/source.ts';

interface Given {
  private_hosts?: readonly string[];
  secrets?: Record<string, string>;
  onCommit?: (commit: string) => void;
  signal?: AbortSignal;
}

/** Real connections, to the listed hosts of this machine alone. */
export function sourceContext({ private_hosts = [], secrets = {}, onCommit, signal }: Given): SourceContext {
  const outbound = openOutbound({ private_hosts });
  onTestFinished(async () => await outbound.close());
  return {
    outbound,
    secret: async (name) => await Promise.resolve(secrets[name]),
    uploads: { list: async () => await Promise.resolve([]), read: async () => await Promise.resolve(undefined) },
    onCommit: async (commit) => await Promise.resolve(onCommit?.(commit)),
    signal: signal ?? new AbortController().signal,
  };
}

export async function listAll(source: AsyncIterable<Listed>): Promise<Listed[]> {
  const all: Listed[] = [];
  for await (const one of source) all.push(one);
  return all;
}

/** By path: the text of a document, or why it cannot be read. */
export async function contentsOf(source: AsyncIterable<Listed>): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for await (const one of source)
    contents[one.path] =
      'problem' in one ? one.problem : await one.read().then(String, (error: Error) => error.message);
  return contents;
}
