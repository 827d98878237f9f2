// svc, from the words to the exit code. Every command prints through output.ts and fails through failure.ts. So all have the same output
// modes, errors and exit codes.
import { readConfig } from './config.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { describeFailure } from './failure.ts';
import { listenForInterrupts } from './interrupts.ts';
import { createOutput, endQuietlyWithReader, type Output } from './output.ts';
import { parse } from './program/program.ts';
import { createSession, type Session } from './session/session.ts';

export async function main(words: string[]): Promise<void> {
  endQuietlyWithReader();
  process.exitCode = await runWords(words);
}

async function runWords(words: string[]): Promise<ExitCode> {
  const config = readConfig();
  const output = createOutput({ json: words.includes('--json'), no_color: config.no_color });
  const interrupts = listenForInterrupts();
  let session: Session | undefined;
  try {
    if (config.completion_seconds !== undefined) return await answerShell(words, { config, output, interrupts });
    const typed = await parse(words, output);
    if (typed === undefined) return exitCodes.done;
    session = createSession({ config, output, globals: typed.globals, interrupts });
    const result = await typed.command.run(typed.input, session);
    output.progress(undefined);
    output.finish(result);
    return result.exit ?? exitCodes.done;
  } catch (error) {
    output.progress(undefined);
    if (describeFailure(error) !== undefined || interrupts.signal.aborted)
      return report(error, output, interrupts.signal.aborted);
    return report((await session?.misunderstood()) ?? error, output, false);
  } finally {
    interrupts.stop();
  }
}

/** Prints no error and no question, because the user is typing. */
async function answerShell(
  words: string[],
  parts: Omit<Parameters<typeof createSession>[0], 'globals'>,
): Promise<ExitCode> {
  const { complete } = await import('./completion/complete.ts');
  await complete(words, parts);
  return exitCodes.done;
}

function report(error: unknown, output: Output, interrupted: boolean): ExitCode {
  const failure = describeFailure(error);
  if (failure !== undefined) {
    output.fail(failure);
    return failure.exit;
  }
  if (interrupted) return exitCodes.interrupted;
  // Neither refused nor unreachable: a bug of this client, so its stack is shown.
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  output.fail({
    sentence: 'Something went wrong inside svc',
    view: [{ verbatim: stack }],
    exit: exitCodes.refused,
    problem: { code: 'internal', detail: stack },
    next: [],
    hinted: [],
    person_must_act: false,
  });
  return exitCodes.refused;
}

if (import.meta.main) await main(process.argv.slice(2));
