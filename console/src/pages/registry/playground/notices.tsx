// What the playground says beside its two sides.
import { useDeferredValue } from 'react';
import { Button } from '../../../parts/action/button.tsx';
import { Difference as Compared } from '../../../parts/code/code.tsx';
import { SvcLine } from '../../../parts/copy.tsx';
import { Empty, Section } from '../../../parts/page/page.tsx';
import { printMessages } from './prompt-text.ts';
import type { Side } from './use-side.ts';

export function NoModels() {
  return (
    <div className="mb-4">
      <Empty>
        No model of the catalogue that you may read. A team adds one: <SvcLine line="svc model add <name>" />
      </Empty>
    </div>
  );
}

/** After a version was saved. */
export function Next({ name, version }: { name: string; version: string }) {
  return (
    <div role="status" className="mb-4 rounded border border-line bg-good-soft px-3 py-2.5">
      <p className="font-strong">
        {name}@{version} is saved. No agent that names a label reads it yet.
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-2">
        Ask for its approval: <SvcLine line={`svc submit --asset prompts/${name}@${version}`} />
        then move the label: <SvcLine line={`svc prompt label ${name} production ${version}`} />
      </p>
    </div>
  );
}

export function Difference({ before, after, onClose }: { before: Side; after: Side; onClose: () => void }) {
  const [old, now] = [printMessages(before.messages), useDeferredValue(printMessages(after.messages))];
  const named = (side: Side) => (side.isDraft ? `the draft of ${side.version}` : side.chosen);
  return (
    <Section
      title={`From ${named(before)} to ${named(after)}`}
      aside={
        <Button look="quiet" onClick={onClose}>
          Close the comparison
        </Button>
      }
    >
      {old === now ? (
        <p className="text-quiet">The texts are the same.</p>
      ) : (
        <Compared before={old} after={now} path="prompt.txt" />
      )}
    </Section>
  );
}
