import { expect, test } from 'vitest';
import { inLangchainForm } from './messages.ts';

test('a message of a state is in the form of langchain, and another object is unchanged', () => {
  const messages = [
    { role: 'user', content: 'hi', id: '1' },
    { role: 'assistant', content: '', id: '2', tool_calls: [{ name: 'look', args: {}, id: 'c' }] },
  ];
  const other = { role: 'editor', name: 'Ada' };
  const more = { role: 'user', content: 'hi', rank: 1 };
  expect(inLangchainForm({ messages, other, more, text: 'x' })).toEqual({
    messages: [
      { type: 'human', content: 'hi', id: '1', name: null, additional_kwargs: {}, response_metadata: {} },
      {
        type: 'ai',
        content: '',
        id: '2',
        name: null,
        tool_calls: [{ name: 'look', args: {}, id: 'c' }],
        invalid_tool_calls: [],
        usage_metadata: null,
        additional_kwargs: {},
        response_metadata: {},
      },
    ],
    other,
    more,
    text: 'x',
  });
});
