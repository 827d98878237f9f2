import { expect, test } from 'vitest';
import { ConfigFault } from './ground/config/config.ts';
import { printFailure } from './print-failure.ts';

test('a failed start says its cause first, also when a part cannot be closed after it', async () => {
  const start = async () => {
    await using _part = { [Symbol.asyncDispose]: async () => await Promise.reject(new Error('EBADF')) };
    throw new ConfigFault('PORT is not a number');
  };
  const error: unknown = await start().catch((failure: unknown) => failure);
  expect(printFailure(error)).toMatch(/^PORT is not a number\nThe close after it failed too: Error: EBADF\n/);
});
