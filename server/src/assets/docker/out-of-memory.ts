import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { answered, ask } from './client.ts';

const killed = 137;
const look_again_after_ms = 500;
const late_ms = 2000;

/**
 * True when the ended container was killed because it ran out of memory. The engine may learn of the end before that reason.
 * So a container that was killed just now is inspected once more.
 */
export async function wasOutOfMemory(
  container: Docker.Container,
  { OOMKilled, ExitCode, FinishedAt }: Docker.ContainerInspectInfo['State'],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (OOMKilled || ExitCode !== killed || Date.now() - Date.parse(FinishedAt) > late_ms) return OOMKilled;
  await sleep(look_again_after_ms);
  try {
    return (await ask(container.inspect(), { signal })).State.OOMKilled;
  } catch (error) {
    if (answered(error, 404)) return OOMKilled; // removed meanwhile
    throw error;
  }
}
