import type { Problem } from '@gantry/contract/problems.ts';
import type { Link } from '../../ground/run-token.ts';
import type { Orchestration } from './load-orchestration.ts';
import type { WantedTarget } from './members/wanted-target.ts';

/** One orchestration of a run: the called one, or a member of another one. All of them are one run: they share its id, its cancel and its limits. */
export interface Level extends Orchestration {
  /** This orchestration. */
  self: Link;
  /** Those around it, nearest first. */
  outer: readonly Link[];
  /** Before the paths of its steps: empty, or the path of the member and a slash. */
  prefix: string;
  input: unknown;
  /** The input is the caller's, so the caller corrects it. */
  is_callers: boolean;
  /** The budgets of this orchestration and of those around it. */
  budgets: readonly Budget[];
  /** Where the members serve: the wishes of this orchestration and of those around it. */
  targets: readonly WantedTarget[];
  whole: WholeRun;
}

interface Budget {
  ref: string;
  budget_usd: string;
  /** What the run had cost when the orchestration began, in nano USD. */
  spent_before: number;
}

interface WholeRun {
  /** The calls of members on all levels, so far. */
  calls: number;
  /** By the whole path of a step: those that a process before this one has stored. */
  failures: ReadonlyMap<string, Problem>;
}

/** Nearest first. */
export const chainOf = ({ self, outer }: Pick<Level, 'self' | 'outer'>): Link[] => [self, ...outer];
