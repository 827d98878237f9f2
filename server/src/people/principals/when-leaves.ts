import type { WhenLeaves } from '../../governance/access/when-leaves.ts';
import { groupsOfTeam } from './team-store.ts';

export const whenLeaves: WhenLeaves = { feature: 'principals', heldByTeam: groupsOfTeam };
