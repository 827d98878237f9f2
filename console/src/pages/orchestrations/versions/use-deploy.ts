import { useSend } from '../../../parts/action/use-send.ts';
import { send } from '../../../server.ts';

/** The undo deploys the version before. */
export function useDeploy(name: string) {
  return useSend('orchestrations.deploy', {
    changes: ['registry'],
    says: ({ ref, path, notices }) => [`${ref} answers at ${path}/invoke`, ...notices].join('. '),
    hasUndo: ({ previous_version }) => previous_version !== null,
    undo: async ({ previous_version }) =>
      await send('orchestrations.deploy', { params: { name }, body: { version: previous_version ?? undefined } }),
  });
}
