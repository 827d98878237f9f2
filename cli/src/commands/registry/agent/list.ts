import { listCommand } from '../../../registry-commands.ts';

export const command = listCommand('agent');
