// The smallest front end with langgraph's React hook, on a site of its own. Its address says which agent it speaks to, and with which token.
import { createElement, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { useStream } from '@langchain/langgraph-sdk/react';

// The types of the tests are those of Node; a browser has these.
declare const location: { hash: string };
declare const document: { querySelector: (selector: string) => Element | null };

const asked = new URLSearchParams(location.hash.slice(1));

function Chat(): ReactNode {
  const [text, setText] = useState('');
  const thread = useStream<{ messages: { id?: string; type: string; content: string }[] }>({
    apiUrl: asked.get('url') ?? '',
    assistantId: 'chatter',
    defaultHeaders: { authorization: `Bearer ${asked.get('token')}` },
  });
  const say = () => {
    void thread.submit({ messages: [{ type: 'human', content: text }] });
    setText('');
  };
  return createElement(
    'div',
    null,
    createElement(
      'ul',
      null,
      thread.messages.map(({ id, type, content }) => createElement('li', { key: id }, `${type}: ${textOf(content)}`)),
    ),
    thread.interrupt !== undefined && createElement('p', null, JSON.stringify(thread.interrupt.value)),
    createElement('output', null, thread.error instanceof Error ? thread.error.message : ''),
    createElement('input', {
      'aria-label': 'Message',
      value: text,
      onChange: ({ target }: { target: { value: string } }) => setText(target.value),
    }),
    createElement('button', { onClick: say }, 'Say'),
    createElement('button', { onClick: () => void thread.submit(undefined, { command: { resume: 'yes' } }) }, 'Yes'),
    createElement('button', { onClick: () => void thread.stop() }, 'Stop'),
  );
}

const textOf = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content));

const place = document.querySelector('#chat');
if (place !== null) createRoot(place).render(createElement(Chat));
