// Code, read or edited. The editor itself is loaded with the first of them.
import { lazy, Suspense, type ComponentProps } from 'react';
import { later } from '../browser/later.ts';

const view = later(() => import('./view.tsx'));
const LazyView = lazy(async () => ({ default: (await view()).View }));
const editor = later(() => import('./editor.tsx'));
const LazyEditor = lazy(async () => ({ default: (await editor()).Editor }));
const merge = later(() => import('./merge.tsx'));
const LazyDifference = lazy(async () => ({ default: (await merge()).Merge }));

export type { Schema } from './complete-by-schema.ts';
export { languageOf } from './language.ts';

/** Text that is read, with its lines numbered. */
export function CodeView(props: ComponentProps<typeof LazyView>) {
  return (
    <Suspense fallback={<Waiting text={props.text} />}>
      <LazyView {...props} />
    </Suspense>
  );
}

/** Text that is edited, with findings at their lines. */
export function CodeEditor(props: ComponentProps<typeof LazyEditor>) {
  return (
    <Suspense fallback={<Waiting text={props.value} />}>
      <LazyEditor {...props} />
    </Suspense>
  );
}

/** Two texts: side by side where there is room, else in one column. Unchanged parts are folded, changed words marked. */
export function Difference(props: ComponentProps<typeof LazyDifference>) {
  return (
    <Suspense fallback={<Waiting text={props.after} />}>
      <LazyDifference {...props} />
    </Suspense>
  );
}

const line_px = 20;
const most_lines = 30;

function Waiting({ text }: { text: string }) {
  const lines = Math.min(text.split('\n').length, most_lines);
  return <div className="skeleton" style={{ height: lines * line_px + 18 }} />;
}
