// ⌘K: go to a place or a thing. What the reader may not read is not among the answers of the service.
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, type LinkProps } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { ask } from '../server.ts';
import { places } from './places.ts';

interface Entry {
  value: string;
  label: string;
  about: string;
  link: LinkProps;
}

const goTo: readonly Entry[] = [
  ...places.map(({ label, link, key }): Entry => ({ value: `go ${label}`, label, about: `g ${key}`, link })),
  {
    value: 'do new agent',
    label: 'New agent',
    about: 'from a folder, a zip or a template',
    link: { to: '/new-agent' },
  },
];

export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const searched = useDeferredValue(text.trim());
  const found = useQuery({
    ...ask('registry.search', { query: { q: searched, limit: 10 } }),
    enabled: searched !== '',
    placeholderData: (before) => before,
  });
  const places = goTo.filter(({ label }) => label.toLowerCase().includes(searched.toLowerCase()));
  const things = (searched === '' ? [] : (found.data?.items ?? [])).map(entryOf);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="eases fixed inset-0 z-40 bg-[rgb(0_0_0/0.35)] data-starting-style:opacity-0" />
        <Dialog.Popup
          aria-label="Go to, or do"
          className="eases fixed top-[12vh] left-1/2 z-40 w-[36rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 overflow-hidden rounded border border-line bg-raised shadow-float data-starting-style:opacity-0"
        >
          <Autocomplete.Root
            open
            inline
            items={[...places, ...things]}
            filter={null}
            value={text}
            onValueChange={setText}
            autoHighlight="always"
            keepHighlight
          >
            <Autocomplete.Input
              aria-label="Go to, or do"
              placeholder="Go to a page or a thing"
              className="h-11 w-full border-b border-line bg-transparent px-4 text-section outline-none placeholder:text-quiet"
            />
            <Dialog.Close className="sr-only">Close</Dialog.Close>
            <Autocomplete.Empty>
              <p className="px-4 py-3 text-quiet empty:hidden">Nothing that you may read has this name.</p>
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-[50vh] overflow-y-auto py-1">
              {(entry: Entry) => (
                <Autocomplete.Item
                  key={entry.value}
                  value={entry}
                  onClick={() => {
                    onClose();
                    setText('');
                    void navigate(entry.link);
                  }}
                  className="flex h-9 cursor-pointer items-center gap-3 px-4 outline-none data-highlighted:bg-hover"
                >
                  <span className="min-w-0 truncate">{entry.label}</span>
                  <span className="ml-auto truncate text-meta text-quiet">{entry.about}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function entryOf({ kind, name, team }: { kind: string; name: string; team: string }): Entry {
  const link: LinkProps =
    kind === 'agent'
      ? { to: '/agents/$name', params: { name } }
      : { to: '/registry/$kind/$name', params: { kind, name } };
  return { value: `${kind} ${name}`, label: name, about: `${kind.replaceAll('_', ' ')} · team ${team}`, link };
}
