import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { Refusal } from '../../parts/refusal.tsx';
import { Refreshing } from './refreshing.tsx';

/** Makes the chunks and vectors of a RAG index that are missing, and lets its newest config be searched. */
export function BuildIndex({ name, can }: { name: string; can: Allowed | undefined }) {
  const build = useSend('knowledge.refresh_index');
  const [run, setRun] = useState<string>();
  return (
    <div className="mb-6">
      <Action
        can={can}
        svc={`svc kb refresh rag-indexes/${name}`}
        isBusy={build.isPending}
        onPress={() => build.mutate({ params: { name } }, { onSuccess: ({ answer }) => setRun(answer.id) })}
      >
        Build
      </Action>
      {build.error !== null && <Refusal error={build.error} />}
      {run !== undefined && <Refreshing key={run} id={run} can={can} />}
    </div>
  );
}
