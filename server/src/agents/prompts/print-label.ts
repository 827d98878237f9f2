import type { PromptLabel } from '@gantry/contract/agents/prompts.ts';
import type { LabelMove } from '../../assets/registry/prompts/labels.ts';

export function printLabel({ label, version, digest, approval_id, moved_by, moved_at }: LabelMove): PromptLabel {
  return { label, version, digest, approval_id, moved_by, moved_at };
}
