import type { ExitCode } from './exit-codes.ts';
import type { View } from './view/view.ts';

/** A useful next command, and its occasion. */
export interface Next {
  command: string;
  when: string;
}

/** The result of a command: the data for programs, the view for people, and the next commands. */
export interface Result {
  data: unknown;
  view: View;
  next?: Next[];
  /** The command that reverses this one. */
  undo?: string;
  person_must_act?: boolean;
  exit?: ExitCode;
}
