import { parseVersionRef } from '@gantry/contract/refs.ts';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../server.ts';

/** The text of a file of a version; empty for a file that does not exist there. */
export function useVersionText(ref: string | null, path: string) {
  const parsed = ref === null ? undefined : parseVersionRef(ref);
  return useQuery({
    ...ask('registry.show_file', {
      params: { kind: parsed?.kind ?? 'agent', name: parsed?.name ?? '', version: parsed?.version ?? '' },
      query: { path },
    }),
    select: ({ text }) => text ?? '',
    ...(parsed === undefined && { enabled: false, initialData: absent }),
  });
}

const absent = { path: '', bytes: 0, sha256: '', text: '', no_text: null };
