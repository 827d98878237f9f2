// A Python that the service lacks is obtained when a push first needs it. The versions are a closed list, so no text of a project chooses
// one. Three ways are tried in turn, and each failure keeps its reason. One version is obtained at a time, and pushes that need the same one wait
// together. The image gets a name of the installation, by which later deploys and restarts find it.
import { Problem } from '@gantry/contract/problems.ts';
import { findImage } from '../../docker/base-image.ts';
import { ask, unlessAborted, type Engine } from '../../docker/client.ts';
import { makeDebianPython } from './debian-python.ts';
import { fetchPython } from './fetch-python.ts';
import { mark } from '../../docker/labels.ts';
import { pullImage } from '../../docker/pull-image.ts';
import type { Sandboxes } from '../sandboxes.ts';

export interface Making {
  /** `3.13` */
  python: string;
  say: (doing: string) => void;
  signal: AbortSignal;
}

export interface Waiter {
  onLog: (line: string) => void;
  signal: AbortSignal;
}

export interface ObtainPython {
  /** Afterwards the engine has the image. Throws `python_unavailable` with the reason of each way, or the signal's reason. */
  (python: string, waiter: Waiter): Promise<void>;
}

/** The longest that one version takes. */
const making_ms = 1_200_000;
/** A later push tries again. */
const failed_ms = 300_000;

/** The name of an obtained Python in the engine. */
export const pythonImage = (engine: Engine, python: string): string => `svc-python:${mark(engine)}-${python}`;

/** `published` has the public image of each version that can be obtained. */
export function obtainPythons(
  usual: () => Promise<Sandboxes>,
  published: Readonly<Record<string, string>>,
  closing: AbortSignal,
): ObtainPython {
  const making = new Map<string, { done: Promise<void>; said: string[]; listeners: Set<(line: string) => void> }>();
  const failed = new Map<string, { problem: Problem; until: number }>();
  let turn: Promise<unknown> = Promise.resolve();

  async function make(python: string, say: (line: string) => void): Promise<void> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(making_ms)]);
    try {
      await obtain(await usual(), { python, say, signal, published: published[python] ?? '' });
    } catch (error) {
      closing.throwIfAborted();
      const problem = error instanceof Problem ? error : signal.aborted ? tooLong(python) : undefined;
      if (problem === undefined) throw error;
      failed.set(python, { problem, until: performance.now() + failed_ms });
      throw problem;
    } finally {
      making.delete(python);
    }
  }

  function begin(python: string) {
    const listeners = new Set<(line: string) => void>();
    const said: string[] = [];
    const say = (doing: string) => {
      const line = `Python ${python}: ${doing}`;
      said.push(line);
      for (const tell of listeners) tell(line);
    };
    const done = turn.then(async () => await make(python, say));
    turn = done.catch(() => {});
    const begun = { done, said, listeners };
    making.set(python, begun);
    return begun;
  }

  return async (python, { onLog, signal }) => {
    const before = failed.get(python);
    if (before !== undefined && performance.now() < before.until) throw before.problem;
    const { done, said, listeners } = making.get(python) ?? begin(python);
    for (const line of said) onLog(line);
    listeners.add(onLog);
    try {
      await unlessAborted(done, signal);
    } finally {
      listeners.delete(onLog);
    }
  };
}

async function obtain(sandboxes: Sandboxes, making: Making & { published: string }): Promise<void> {
  const { engine } = sandboxes;
  const { python, say, signal } = making;
  const reasons: string[] = [];
  for (const way of ways) {
    try {
      await keep(engine, python, await way(sandboxes, making));
      say('it is ready, and further pushes use it');
      return;
    } catch (error) {
      if (signal.aborted || !(error instanceof Problem) || !isOfWay(error)) throw error;
      const reason = reasonOf(error);
      reasons.push(reason);
      say(reason);
    }
  }
  throw new Problem('python_unavailable', { detail: `Python ${python} cannot be obtained: ${reasons.join('; ')}` });
}

/** A limit's hint names its setting. */
function reasonOf({ code, detail, hint }: Problem): string {
  const sentence = detail ?? code;
  return code === 'python_unavailable' || hint === undefined ? sentence : `${sentence}. ${hint.replace(/\.$/, '')}`;
}

/** Another process may have been faster. Its image stays, because contents may name it. */
async function keep(engine: Engine, python: string, image: string): Promise<void> {
  if ((await findImage(engine, pythonImage(engine, python))) === undefined) await nameImage(engine, python, image);
}

/** Gives the image the name of an obtained Python. The engine keeps the time of the last naming, which prunePythons reads. */
export async function nameImage(engine: Engine, python: string, image: string): Promise<void> {
  const [repo = '', tag = ''] = pythonImage(engine, python).split(':');
  await ask(engine.docker.getImage(image).tag({ repo, tag }));
}

/** A fault of the engine ends all ways. */
const isOfWay = ({ code }: Problem) => code !== 'engine_unavailable';

const ways = [pullPython, fetchPython, makeDebianPython];

async function pullPython(
  { engine }: Sandboxes,
  { python, published, say, signal }: Making & { published: string },
): Promise<string> {
  if ((await findImage(engine, published, signal)) !== undefined) return published;
  say(`pulling ${published}`);
  try {
    await pullImage(engine, published, { onProgress: (layers) => say(`pulled ${layers}`), signal });
  } catch (error) {
    const reason = error instanceof Problem ? error.fields['reason'] : undefined;
    if (typeof reason !== 'string') throw error;
    throw new Problem('python_unavailable', { detail: `${published} cannot be pulled (${reason})` });
  }
  await keep(engine, python, published);
  // The public name was not there before. Without it, the removal of the installation removes the image.
  await ask(engine.docker.getImage(published).remove(), { signal });
  return pythonImage(engine, python);
}

const tooLong = (python: string) =>
  new Problem('python_unavailable', {
    detail: `Python ${python} cannot be obtained: it took longer than ${making_ms / 60_000} min`,
  });
