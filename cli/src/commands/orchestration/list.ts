import { defineCommand } from '../../command.ts';
import { commandFor } from '../registry/list.ts';

export const command = defineCommand({
  ...commandFor('orchestration'),
  words: 'orchestration list',
  examples: ['svc orchestration list', 'svc orchestration list --team ml --json'],
});
