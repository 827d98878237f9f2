// What ⌘K offers: what the open page does, the places, what is done from everywhere, and the things that have the words in their name.
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import type { LinkProps } from '@tanstack/react-router';
import type { Allowed } from '../parts/action/action.tsx';
import { commandsOfPage } from '../parts/action/commands.ts';
import { chooseTheme, chosenTheme, themes } from '../parts/browser/theme.ts';
import { places } from './places.ts';
import { signOut } from './sign-out.ts';

export interface Entry {
  value: string;
  label: string;
  about: string | undefined;
  can: Allowed;
  run: () => void;
}

export interface Group {
  value: string;
  items: Entry[];
}

interface Offered {
  me: Answer<Endpoints['auth.me']> | undefined;
  found: readonly Found[];
  words: string;
  open: (link: LinkProps) => void;
}

type Found = Answer<Endpoints['registry.search']>['items'][number];

export function groupsOf({ me, found, words, open }: Offered): Group[] {
  const has = ({ label }: Entry) => label.toLowerCase().includes(words.toLowerCase());
  const to = (label: string, about: string, link: LinkProps, can: Allowed = everybody): Entry => ({
    value: `${label} ${about}`,
    label,
    about,
    can,
    run: () => open(link),
  });
  const page = commandsOfPage().map(({ label, can, svc, run }): Entry => ({
    value: `page ${label}`,
    label,
    about: svc,
    can,
    run,
  }));
  const everywhere = [
    to('New agent', 'svc init', { to: '/new-agent' }),
    to('New key', 'svc key create', { to: '/keys', search: { new: 'yes' } }),
    to('Invite a user', 'svc user create <e-mail>', { to: '/users', search: { new: 'yes' } }, me?.can['users.create']),
    ...themes
      .filter((theme) => theme !== chosenTheme())
      .map((theme): Entry => own(`Theme: ${theme}`, undefined, () => chooseTheme(theme))),
    own('Sign out', 'svc logout --revoke', () => void signOut()),
  ];
  return [
    { value: 'On this page', items: page.filter(has) },
    { value: 'Go to', items: places.map(({ label, link, key }) => to(label, `g ${key}`, link)).filter(has) },
    { value: 'Do', items: everywhere.filter(has) },
    { value: 'Agents and assets', items: found.map((thing) => to(thing.name, aboutOf(thing, words), linkOf(thing))) },
  ].filter(({ items }) => items.length > 0);
}

const everybody: Allowed = { allowed: true };

const own = (label: string, about: string | undefined, run: () => void): Entry => ({
  value: label,
  label,
  about,
  can: everybody,
  run,
});

/** With the words that it was found by, where its name does not have them. */
function aboutOf({ kind, name, team, description, tags }: Found, words: string): string {
  const about = `${kind.replaceAll('_', ' ')} · team ${team}`;
  const has = (text: string) =>
    words
      .toLowerCase()
      .split(/\s+/)
      .some((word) => text.toLowerCase().includes(word));
  if (has(name)) return about;
  const tag = tags.find(has);
  return `${has(description) ? description : tag === undefined ? '' : `tag ${tag}`} · ${about}`.replace(/^ · /, '');
}

function linkOf({ kind, name }: Found): LinkProps {
  if (kind === 'agent') return { to: '/agents/$name', params: { name } };
  if (kind === 'orchestration') return { to: '/orchestrations/$name', params: { name } };
  return { to: '/registry/$kind/$name', params: { kind, name } };
}
