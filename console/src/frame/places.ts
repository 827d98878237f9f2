// The side bar, ⌘K and the keys `g …` go to the same places.
import {
  BadgeCheck,
  Bot,
  CircleDollarSign,
  FileClock,
  House,
  Inbox,
  KeyRound,
  Library,
  MessagesSquare,
  Settings,
  Users,
  Workflow,
} from 'lucide-react';
import type { LinkProps } from '@tanstack/react-router';

export interface Place {
  label: string;
  link: LinkProps;
  Icon: typeof House;
  /** After `g`. */
  key: string;
  /** Other paths of this place. */
  also?: readonly string[];
  /** Whose number stands beside it. */
  badge?: 'approvals' | 'inbox';
}

export const places: readonly Place[] = [
  { label: 'Home', link: { to: '/' }, Icon: House, key: 'h' },
  { label: 'Talk', link: { to: '/talk' }, Icon: MessagesSquare, key: 'm' },
  { label: 'Inbox', link: { to: '/inbox' }, Icon: Inbox, key: 'i', badge: 'inbox' },
  { label: 'Agents', link: { to: '/agents' }, also: ['/new-agent', '/deployments', '/traces'], Icon: Bot, key: 'a' },
  { label: 'Orchestrations', link: { to: '/orchestrations' }, Icon: Workflow, key: 'w' },
  { label: 'Registry', link: { to: '/registry' }, also: ['/knowledge'], Icon: Library, key: 'e' },
  { label: 'Approvals', link: { to: '/approvals' }, Icon: BadgeCheck, key: 'r', badge: 'approvals' },
  { label: 'Costs', link: { to: '/costs' }, also: ['/budgets'], Icon: CircleDollarSign, key: 'c' },
  { label: 'Keys', link: { to: '/keys' }, Icon: KeyRound, key: 'k' },
  { label: 'Audit', link: { to: '/audit' }, Icon: FileClock, key: 'u' },
  {
    label: 'People',
    link: { to: '/teams' },
    also: ['/users', '/groups', '/service-principals'],
    Icon: Users,
    key: 't',
  },
  {
    label: 'Organisation',
    link: { to: '/organisation' },
    also: ['/models', '/targets', '/webhooks', '/doctor'],
    Icon: Settings,
    key: 'o',
  },
];
