// ⌘K: go to a place or a thing, or do what can be done here. What the reader may not read is not among the answers of the service.
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useState } from 'react';
import { useMe } from '../me.ts';
import { ask } from '../server.ts';
import { groupsOf, type Entry, type Group } from './palette-groups.ts';
import { takeTyped } from './typed-ahead.ts';

export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const me = useMe();
  const [text, setText] = useState('');
  // After the first drawing, which a browser may throw away and repeat.
  useEffect(() => setText((before) => before + takeTyped()), []);
  const words = useDeferredValue(text.trim());
  const found = useQuery({
    ...ask('registry.search', { query: { q: words, limit: 10 } }),
    enabled: words !== '',
    placeholderData: (before) => before,
  });
  const groups = groupsOf({
    me,
    found: words === '' ? [] : (found.data?.items ?? []),
    words,
    open: (link) => void navigate(link),
  });
  const choose = ({ run }: Entry) => {
    onClose();
    run();
  };
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
            items={groups}
            filter={null}
            value={text}
            onValueChange={setText}
            // Enter alone does nothing: the first entry can be a deploy.
            autoHighlight={words === '' ? false : 'always'}
            keepHighlight
          >
            <Autocomplete.Input
              aria-label="Go to, or do"
              placeholder="Go to a page or a thing, or do"
              className="h-11 w-full border-b border-line bg-transparent px-4 text-section outline-none placeholder:text-quiet"
            />
            <Dialog.Close className="sr-only">Close</Dialog.Close>
            <Autocomplete.Empty>
              <p className="px-4 py-3 text-quiet empty:hidden">Nothing that you may read has this name.</p>
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-[60vh] overflow-y-auto pb-1">
              {({ value, items }: Group) => (
                <Autocomplete.Group key={value} items={items}>
                  <Autocomplete.GroupLabel className="px-4 pt-2.5 pb-1 text-meta text-quiet">
                    {value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(entry: Entry) => <Line key={entry.value} entry={entry} onChoose={choose} />}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Line({ entry, onChoose }: { entry: Entry; onChoose: (entry: Entry) => void }) {
  const { label, about, can } = entry;
  return (
    <Autocomplete.Item
      value={entry}
      disabled={!can.allowed}
      onClick={() => onChoose(entry)}
      className="flex min-h-8 cursor-pointer flex-col justify-center px-4 py-1 outline-none data-disabled:cursor-not-allowed data-highlighted:bg-hover"
    >
      <span className={`flex min-w-0 items-baseline gap-6 ${can.allowed ? '' : 'opacity-50'}`}>
        <span className="shrink-0">{label}</span>
        <span className="ml-auto min-w-0 truncate font-mono text-meta text-quiet">{about}</span>
      </span>
      {!can.allowed && <span className="text-meta text-quiet">{can.reason}</span>}
    </Autocomplete.Item>
  );
}
