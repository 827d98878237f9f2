import { defineCommand } from '../../command.ts';
import { commandFor } from '../registry/delete.ts';

export const command = defineCommand({
  ...commandFor('orchestration'),
  words: 'orchestration delete',
  examples: ['svc orchestration delete support', 'svc orchestration delete support --yes'],
});
