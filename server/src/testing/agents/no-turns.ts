import type { Turns } from '../../agents/invoke/turns.ts';

/** For tests whose calls have no threads of the service. */
export const noTurns: Turns = {
  enter: async () => await Promise.reject(new Error('no call here has a thread')),
  wait: async () => await Promise.reject(new Error('no call here has a thread')),
};
