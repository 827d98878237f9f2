import { parseAnyRef } from '../refs.ts';

/** Of a member: an orchestration, and no agent. */
export const isOrchestration = ({ ref }: { ref: string }): boolean => parseAnyRef(ref)?.kind === 'orchestration';
