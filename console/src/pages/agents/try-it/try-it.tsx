import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { inputFields } from '@gantry/project/input/input-fields.ts';
import { useState } from 'react';
import { Button } from '../../../parts/action/button.tsx';
import { Empty, Section } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { ask } from '../../../server.ts';
import { AgentPage } from '../agent-page.tsx';
import { CallInput } from './call-input.tsx';
import { CallLines } from './call-lines.tsx';
import { CallTurn } from './call-turn.tsx';
import type { Input } from './turn.ts';
import { useAgentCalls } from './use-agent-call.ts';

const route = getRouteApi('/agents/$name/try');

export function TryItPage() {
  const { name } = route.useParams();
  return (
    <AgentPage name={name} tab="try">
      <TryIt key={name} name={name} />
    </AgentPage>
  );
}

function TryIt({ name }: { name: string }) {
  const status = useQuery(ask('agents.status', { params: { name } }));
  const schema = useQuery(ask('invoke.input', { params: { name } }));
  const deploys = useQuery(ask('deployments.list', { query: { agent: name, limit: 20 } }));
  const calls = useAgentCalls(name);
  const [input, setInput] = useState<Input>();
  if (status.data?.state === 'not_deployed') return <Empty>It answers calls once a version of it is deployed.</Empty>;
  if (schema.error !== null && schema.data === undefined) return <Refusal error={schema.error} />;
  if (schema.data === undefined || deploys.isPending) return <div className="skeleton h-96" />;
  const example = deploys.data?.items.find(({ example_input }) => example_input !== null)?.example_input ?? {};
  const next = input ?? example;
  return (
    <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,7fr)] gap-x-8 max-wide:grid-cols-1">
      <div>
        <CallInput
          name={name}
          fields={inputFields(schema.data.input_schema)}
          example={example}
          can={status.data?.can?.['invoke.call']}
          calls={calls}
          onChange={setInput}
        />
        <CallLines name={name} endpoint={status.data?.endpoint ?? ''} input={next} />
      </div>
      <Section
        title="Answers"
        aside={
          calls.turns.length > 0 && (
            <Button look="quiet" disabled={calls.isRunning} onClick={calls.clear}>
              Clear
            </Button>
          )
        }
      >
        <div aria-live="polite" className="flex flex-col gap-3">
          {calls.turns.length === 0 && (
            <Empty>The answer is shown here while the agent writes it, with its steps, its tools and its trace.</Empty>
          )}
          {calls.turns.toReversed().map((turn) => (
            <CallTurn key={turn.id} turn={turn} />
          ))}
        </div>
      </Section>
    </div>
  );
}
