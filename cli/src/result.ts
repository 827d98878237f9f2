import type { ExitCode } from './exit-codes.ts';
import type { View } from './view/view.ts';

/** A command that makes sense after this one, and when. */
export interface Next {
  command: string;
  when: string;
}

/** What a command hands back: the data for programs, the same for people, and what can be done next. */
export interface Result {
  data: unknown;
  view: View;
  next?: Next[];
  /** The command that takes this back. */
  undo?: string;
  person_must_act?: boolean;
  exit?: ExitCode;
}
