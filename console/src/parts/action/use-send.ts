// One way to change something: send it, refresh what it changed, show the receipt.
import type { Send } from '@gantry/contract/client/client.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { EndpointName, Endpoints } from '@gantry/contract/endpoints.ts';
import { useMutation } from '@tanstack/react-query';
import { refresh, send } from '../../server.ts';
import { showReceipt } from './receipt.tsx';

interface Sending<N extends EndpointName> {
  /** First words of endpoint names: the lists and pages that the change can alter. Its own noun is always refreshed. */
  changes?: readonly string[];
  /** What is now true, as a sentence without its full stop. Absent: no receipt. */
  says?: (answer: Answer<Endpoints[N]>, parts: Send<N>) => string;
  /** Absent where nothing can undo it. */
  undo?: (answer: Answer<Endpoints[N]>, parts: Send<N>) => Promise<unknown>;
  /** Absent: every change has its undo. */
  hasUndo?: (answer: Answer<Endpoints[N]>) => boolean;
}

export function useSend<N extends EndpointName>(name: N, { changes = [], says, undo, hasUndo }: Sending<N> = {}) {
  return useMutation({
    mutationFn: async (parts: Send<N>) =>
      await send(name, parts, { headers: { 'idempotency-key': crypto.randomUUID() } }),
    onSuccess: ({ answer, entries }, parts) => {
      const [noun = ''] = name.split('.');
      const nouns = [noun, ...changes, 'home', 'audit'];
      refresh(nouns);
      if (says === undefined) return;
      const isUndone = undo !== undefined && (hasUndo?.(answer) ?? true);
      const undoIt = isUndone ? async () => await undo(answer, parts).then(() => refresh(nouns)) : undefined;
      showReceipt({ says: says(answer, parts), entries, undo: undoIt });
    },
  });
}
