import { isId } from '@gantry/contract/wire.ts';
import type { Input } from '../command.ts';
import { describeFailure } from '../failure.ts';
import type { Session } from '../session/session.ts';
import type { Candidate } from './candidates.ts';

const limit = 200;

/** Asks as the signed-in user. A service that refuses, or does not answer in time, has no names. */
export async function findNames(session: Session, names: NonNullable<Input['names']>): Promise<Candidate[]> {
  try {
    return (await list(session, names)).filter(({ value }) => /^[a-z0-9-]+$/.test(value) || isId(value));
  } catch (error) {
    if (describeFailure(error) === undefined && !isTimeout(error)) throw error;
    return [];
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

async function list(session: Session, names: NonNullable<Input['names']>): Promise<Candidate[]> {
  // The user waits at the tab key.
  const options = { signal: AbortSignal.timeout((session.config.completion_seconds ?? 0) * 1000) };
  switch (names) {
    case 'team': {
      const { items } = await session.call('teams.list', { query: { limit } }, options);
      return items.map(({ name, your_role }) => ({ value: name, about: your_role ?? '' }));
    }
    case 'request': {
      const { items } = await session.call('approvals.list', { query: { limit } }, options);
      return items.map((one) => ({ value: one.id, about: `${one.asset}@${one.asset_version} ${one.status}` }));
    }
    case 'deploy': {
      const { items } = await session.call('deployments.list', { query: { limit } }, options);
      return items.map((one) => ({ value: one.id, about: `${one.ref} ${one.state}` }));
    }
    default: {
      const { items } = await session.call('registry.list', { params: { kind: names }, query: { limit } }, options);
      return items.map(({ name, description }) => ({ value: name, about: description }));
    }
  }
}
