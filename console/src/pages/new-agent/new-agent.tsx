import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { later } from '../../parts/browser/later.ts';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import type { Dropped } from './dropped-files.ts';
import { DropZone } from './drop-zone.tsx';
import { Templates } from './templates.tsx';

// With the rules of agent.yaml, Python and its packages; only this page needs them.
const reading = later(() => import('./open-project.ts'));
const opened = later(() => import('./opened.tsx'));
const LazyOpened = lazy(async () => ({ default: (await opened()).Opened }));

export function NewAgentPage() {
  const opening = useMutation({
    mutationFn: async (read: () => Promise<Dropped>) => {
      const dropped = await read();
      const { openProject } = await reading();
      return await openProject(dropped);
    },
    networkMode: 'always',
  });
  const { data: project, error, isPending, mutate: open, reset, submittedAt } = opening;
  return (
    <Page
      title="New agent"
      above={[{ label: 'Agents', link: { to: '/agents' } }]}
      about="A folder with an agent and its dependency file. This page checks it before anything is sent."
      svc="svc validate && svc submit"
      actions={project !== undefined && <Button onClick={reset}>Start again</Button>}
    >
      {error !== null && (
        <div className="mb-4 max-w-[880px]">
          <Refusal error={error} />
        </div>
      )}
      {project === undefined ? (
        <div className="max-w-[880px]">
          <DropZone onDrop={open} isReading={isPending} />
          <Templates onMade={open} />
        </div>
      ) : (
        <Suspense fallback={<div className="skeleton h-96" />}>
          <LazyOpened key={submittedAt} project={project} isReading={isPending} onDrop={open} />
        </Suspense>
      )}
    </Page>
  );
}
