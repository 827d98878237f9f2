import { defineCommand } from '../../command.ts';
import { commandFor } from '../registry/show.ts';

export const command = defineCommand({
  ...commandFor('orchestration'),
  words: 'orchestration show',
  examples: ['svc orchestration show support', 'svc orchestration show support@1.0.0 --json'],
});
