import { showCommand } from '../../../registry-commands.ts';

export const command = showCommand('knowledge-base');
