/** What the shell learns from `$?`. */
export const exitCodes = {
  done: 0,
  refused: 1,
  misused: 2,
  unreachable: 3,
  /** A person must act first (an approval), or what was asked cannot be verified. */
  waits: 4,
  /** `--plan`: there is something to change. */
  changes: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
