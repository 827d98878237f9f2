import { useMutation } from '@tanstack/react-query';
import { Button } from '../../parts/button.tsx';
import { later } from '../../parts/later.ts';
import { Page } from '../../parts/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { Checked } from './checked.tsx';
import { DropZone } from './drop-zone.tsx';
import type { Entry } from './read-zip.ts';
import { Templates } from './templates.tsx';

// With the rules of agent.yaml, Python and its packages; only this page needs them.
const reading = later(() => import('./open-project.ts'));

export function NewAgentPage() {
  const opening = useMutation({
    mutationFn: async (read: () => Promise<Entry[]>) => {
      const entries = await read();
      const { openProject } = await reading();
      return await openProject(entries);
    },
    networkMode: 'always',
  });
  const { data: project, error, isPending, mutate: open, reset } = opening;
  return (
    <Page
      title="New agent"
      above={[{ label: 'Agents', link: { to: '/agents' } }]}
      about="A folder with agent.py, a dependency file and agent.yaml. This page checks it before anything is sent."
      svc="svc validate && svc submit"
      actions={project !== undefined && <Button onClick={reset}>Start again</Button>}
    >
      <div className="max-w-[880px]">
        {error !== null && (
          <div className="mb-4">
            <Refusal error={error} />
          </div>
        )}
        {project?.checked.deployable !== true && <DropZone onDrop={open} isReading={isPending} />}
        {project !== undefined && <Checked project={project} />}
        {project === undefined && <Templates onMade={open} />}
      </div>
    </Page>
  );
}
