import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { serve } from './serve.ts';

test('a connection above the limit is closed at once and logged, and the open ones are answered', async () => {
  let refused = 0;
  const listening = await serve(
    (_, outgoing) => outgoing.end('hello'),
    { host: '127.0.0.1', port: 0, max_connections: 2 },
    { unparsed: () => {}, full: () => void refused++ },
  );
  const open = async () => {
    const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const [first, second] = [await open(), await open()];
  for (let n = 0; n < 3; n++) {
    const third = await open();
    await once(third.resume(), 'close');
  }
  expect(refused).toBe(1);
  first.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(String((await once(first, 'data'))[0])).toContain('hello');
  second.destroy();
  await expect.poll(async () => (await fetch(listening.url)).text()).toBe('hello');
  first.destroy();
  await listening.close(1000);
});

test('a server that drains closes idle connections, answers the open request, takes none after it, and then ends', async () => {
  const answering = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const listening = await serve(
    ({ url }, outgoing) => {
      if (url !== '/slow') return outgoing.end('hello');
      arrived.resolve();
      return void answering.promise.then(() => outgoing.end('hello'));
    },
    { host: '127.0.0.1', port: 0, max_connections: 4 },
    { unparsed: () => {}, full: () => {} },
  );
  const at = Number(new URL(listening.url).port);
  const [silent, idle, busy] = [connect(at, '127.0.0.1'), connect(at, '127.0.0.1'), connect(at, '127.0.0.1')];
  await Promise.all([silent, idle, busy].map(async (socket) => void (await once(socket, 'connect'))));
  idle.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(idle, 'data');
  busy.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await arrived.promise;
  const ends = [silent, idle].map(async (socket) => void (await once(socket.resume(), 'close')));
  const drained = listening.drain();
  // A proxy's next request may be on its way.
  idle.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(String((await once(idle, 'data'))[0])).toMatch(/connection: close\r\n[^]*hello/i);
  await Promise.all(ends);
  const late = connect(at, '127.0.0.1');
  expect(await once(late, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
  answering.resolve();
  expect(String((await once(busy, 'data'))[0])).toMatch(/connection: close\r\n[^]*hello/i);
  await once(busy, 'close');
  await drained;
  await listening.close(0);
});
