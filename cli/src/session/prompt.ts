// Questions to the user. Without a user (no terminal, --no-input, --json, a coding agent) a question is an error that names the flag. So
// svc never waits for input that cannot come.
import type * as Clack from '@clack/prompts';
import { exitCodes } from '../exit-codes.ts';
import { CliRefusal, misuse } from '../refusal.ts';

export interface Prompt {
  /** True when a user can answer. */
  canAsk(): Promise<boolean>;
  ask(question: string, flag: string): Promise<string>;
  /** `fault` returns the fault of an answer; the question is then repeated. */
  askSecret(question: string, flag: string, fault?: (given: string) => string | undefined): Promise<string>;
  confirm(question: string, flag: string): Promise<boolean>;
  choose<const C extends string>(
    question: string,
    choices: readonly { value: C; label: string }[],
    flag: string,
  ): Promise<C>;
}

export function createPrompt(settings: { no_input: boolean; json: boolean }): Prompt {
  const { stdin, stderr } = process;
  const atTerminal = !settings.no_input && !settings.json && stdin.isTTY && stderr.isTTY;
  const canAsk = async (): Promise<boolean> => {
    if (!atTerminal) return false;
    const { determineAgent } = await import('@vercel/detect-agent');
    return !(await determineAgent()).isAgent;
  };

  /** Questions go to stderr, so that they stay visible with `svc … > file`. */
  async function answered<Answer>(
    flag: string,
    put: (clack: typeof Clack) => Promise<Answer>,
  ): Promise<Exclude<Answer, symbol>> {
    if (!(await canAsk()))
      throw misuse(`${flag} is needed: svc cannot ask here`, `Give ${flag}, or run this at a terminal.`);
    const clack = await import('@clack/prompts');
    const answer = await put(clack);
    if (clack.isCancel(answer))
      throw new CliRefusal('interrupted', 'Cancelled; nothing was done', { exit: exitCodes.interrupted });
    return answer as Exclude<Answer, symbol>; // the only symbol; isCancel has excluded it
  }

  return {
    canAsk,
    ask: (message, flag) =>
      answered(flag, ({ text }) =>
        text({
          message,
          output: stderr,
          validate: (given) => (given === undefined || given === '' ? 'A value is needed' : undefined),
        }),
      ),
    askSecret: (message, flag, fault) =>
      answered(flag, ({ password }) =>
        password({ message, output: stderr, validate: (given) => fault?.(given ?? '') }),
      ),
    confirm: (message, flag) =>
      answered(flag, ({ confirm }) => confirm({ message, output: stderr, initialValue: false })),
    choose: (message, choices, flag) =>
      // clack's option type is a conditional over C that TypeScript cannot resolve for a type parameter.
      answered(flag, ({ select }) =>
        select({ message, output: stderr, options: choices.map((each) => ({ ...each })) as never }),
      ),
  };
}
