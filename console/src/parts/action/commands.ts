// What one can do from the head of the open page. ⌘K offers it too, with the same reasons.
import { Children, createContext, useContext, useEffect, useRef, type ReactNode } from 'react';
import type { Allowed } from './action.tsx';

export interface Command {
  label: string;
  can: Allowed;
  /** The same in a terminal. */
  svc?: string | undefined;
  run: () => void;
}

/** The head of a page: its actions are commands, those of rows are not. The items of its closed menus are `unseen`. */
export const Head = createContext<'shown' | 'unseen' | undefined>(undefined);

const offered = new Set<{ current: Command }>();

/** Offers it while the component is shown. */
export function useCommand(command: Command | undefined): void {
  const isOffered = command !== undefined;
  const current = useRef(command);
  useEffect(() => {
    current.current = command;
  });
  useEffect(() => {
    if (!isOffered) return undefined;
    const offer = current as { current: Command }; // undefined is never offered
    offered.add(offer);
    return () => void offered.delete(offer);
  }, [isOffered]);
}

interface HeadCommand extends Omit<Command, 'label'> {
  children: ReactNode;
}

/** A button or a menu's item. */
export function useHeadCommand({ children, ...command }: HeadCommand): void {
  const isInHead = useContext(Head) !== undefined;
  useCommand(isInHead ? { ...command, label: textOf(children) } : undefined);
}

/** One for each label. A main action can be in the menu too. */
export function commandsOfPage(): Command[] {
  return [...new Map([...offered].map(({ current }) => [current.label, current])).values()];
}

// Beside its words a button can show its key.
const textOf = (children: ReactNode) =>
  Children.toArray(children)
    .filter((child) => typeof child === 'string')
    .join('')
    .trim();
