/** The values of `$?`. */
export const exitCodes = {
  done: 0,
  refused: 1,
  misused: 2,
  unreachable: 3,
  /** A person must act first (an approval), or the result cannot be verified. */
  waits: 4,
  /** `--plan`: there are changes. `svc target drift`: there is drift. */
  changes: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
