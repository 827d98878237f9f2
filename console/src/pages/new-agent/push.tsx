import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { Digest } from '../../parts/copy.tsx';
import { plural } from '../../parts/figures/figures.ts';
import { Field, Form } from '../../parts/form/form.tsx';
import { Section } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';
import { NextStep } from './next-step.tsx';
import type { Progress, Pushed } from './push-project.ts';
import { usePush } from './use-push.ts';

interface PushProps {
  files: ReadonlyMap<string, Uint8Array>;
  config: AgentConfig;
  onPushed: () => void;
}

export function Push({ files, config, onPushed }: PushProps) {
  const { progress, pushing } = usePush({
    name: config.name,
    files: async () => await Promise.resolve(files),
    onPushed,
  });
  const ref = `agents/${config.name}@${config.version}`;
  if (pushing.data !== undefined) return <Done push={pushing.data} secrets={config.deploy?.secrets ?? []} />;
  return (
    <Section title="Push">
      {pushing.isPending ? (
        <Steps progress={progress} />
      ) : (
        <div className="rounded border border-line bg-raised p-4">
          {progress.length > 0 && <Steps progress={progress} />}
          <Form
            error={pushing.error}
            isSending={false}
            send={`Push ${config.name} ${config.version}`}
            onSend={({ message = '' }) => pushing.mutate(message)}
          >
            <Field
              name="message"
              label="Message"
              help={`What is new in ${ref}. Reviewers read it.`}
              placeholder="optional"
              maxLength={4000}
            />
          </Form>
        </div>
      )}
    </Section>
  );
}

function Done({ push, secrets }: { push: Pushed; secrets: readonly string[] }) {
  return (
    <Section title="Pushed" aside={push.digest !== null && <Digest digest={push.digest} />}>
      <div className="flex flex-col gap-3 rounded border border-line bg-raised p-4">
        <State meaning="good">
          {push.unchanged
            ? `${push.ref} is already in the registry, with exactly this content`
            : `${push.ref} is in the registry`}
        </State>
        {push.notices.map((notice) => (
          <p key={notice} className="text-quiet">
            {notice}
          </p>
        ))}
        {secrets.length > 0 && (
          <p className="text-quiet">
            It names {plural(secrets.length, 'secret')}: {secrets.join(', ')}. Each needs a value before the deploy.
          </p>
        )}
        <NextStep pushed={push.ref} hasSecrets={secrets.length > 0} />
      </div>
    </Section>
  );
}

const meanings = { running: 'waiting', done: 'good', failed: 'failed' } as const;

export function Steps({ progress }: { progress: readonly Progress[] }) {
  return (
    <ol aria-live="polite" className="mb-3 flex flex-col gap-1.5 rounded border border-line bg-raised p-4">
      {progress.map(({ name, state, says }) => (
        <li key={name} className="grid grid-cols-[200px_minmax(0,1fr)] gap-3 max-phone:grid-cols-1">
          <State meaning={meanings[state]}>{name}</State>
          <span className="truncate font-mono text-meta leading-5 text-quiet">{says}</span>
        </li>
      ))}
    </ol>
  );
}
