import { parseAnyRef } from '@gantry/contract/refs.ts';

/** True for a member that is an orchestration, and no agent. */
export const isOrchestration = ({ ref }: { ref: string }): boolean => parseAnyRef(ref)?.kind === 'orchestration';
