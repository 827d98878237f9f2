import type { OrchestrationMember } from '@gantry/contract/orchestration-yaml.ts';

/** agents/<name>, without the version. */
export const agentRef = ({ ref }: Pick<OrchestrationMember, 'ref'>): string => ref.split('@')[0] ?? ref;
