// Compares failed sign-ins of existing and of missing accounts, because their duration must not reveal an account. In turns, and few: an
// address has a hundred failures.
import { randomUUID } from 'node:crypto';
import type { Row } from './report/row.ts';
import { interleaved, repeat, timed } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const rounds = 5;
const attempts = 6;

export async function measure({ installation, client }: Measured): Promise<Row[]> {
  const known = await repeat(attempts, async () => {
    const email = someEmail();
    await client.call('users.create', { body: { email } });
    return email;
  });
  const fail = async (email: string) => {
    const { status } = await fetch(`${installation.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'not this one' }),
    });
    if (status !== 401) throw new Error(`a sign-in with a wrong password answered ${status}`);
  };
  const taken = await interleaved(rounds, {
    known: async () => await repeat(attempts, async (n) => await timed(async () => await fail(known[n] ?? ''))),
    unknown: async () => await repeat(attempts, async () => await timed(async () => await fail(someEmail()))),
  });
  const how = `${rounds} rounds of ${attempts} in turns`;
  return [
    { measure: 'a sign-in that fails, of an account', unit: 'ms', samples: taken.known, how },
    { measure: '… of none', unit: 'ms', samples: taken.unknown, how },
  ];
}

const someEmail = (): string => `${randomUUID()}@example.com`;
