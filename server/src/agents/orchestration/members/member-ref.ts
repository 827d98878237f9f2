import type { OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';

/** agents/<name> or orchestrations/<name>, without the version. */
export const memberRef = ({ ref }: Pick<OrchestrationMember, 'ref'>): string => ref.split('@')[0] ?? ref;
