import type { Difference } from '@gantry/contract/assets/difference.ts';

export const signs: Record<Difference['files'][number]['change'], { sign: string; look: string; word: string }> = {
  added: { sign: '+', look: 'text-good', word: 'new' },
  changed: { sign: '~', look: 'text-waiting', word: 'changed' },
  removed: { sign: '−', look: 'text-failed', word: 'removed' },
};
