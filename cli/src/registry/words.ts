import { text } from '../command.ts';

export const wordFlags = {
  description: text('What it is', 'text'),
  tags: text('Words to find it by, separated by commas', 'list'),
};

export function readTags(list: string): string[] {
  return list
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
