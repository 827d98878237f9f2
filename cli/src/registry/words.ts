import { text } from '../command.ts';

export const wordFlags = {
  description: text('A description', 'text'),
  tags: text('Words for the search, separated by commas', 'list'),
};

export function readTags(list: string): string[] {
  return list
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
