import { createCommand } from '../../../registry-commands.ts';

export const command = createCommand('tool');
