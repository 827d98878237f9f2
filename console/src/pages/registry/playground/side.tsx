import type { PromptLabel } from '@gantry/contract/agents/prompts.ts';
import { useId } from 'react';
import { Action, type Allowed } from '../../../parts/action/action.tsx';
import { Button } from '../../../parts/action/button.tsx';
import { Choice, TextArea } from '../../../parts/form/form.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { Answer } from './answer.tsx';
import type { Message } from './prompt-text.ts';
import type { Side } from './use-side.ts';

interface SideProps {
  name: string;
  /** `A` or `B`. */
  title: string;
  side: Side;
  versions: readonly string[];
  labels: readonly PromptLabel[];
  models: readonly string[] | undefined;
  can: Allowed | undefined;
  onSave: () => void;
}

export function SideOf({ name, title, side, versions, labels, models, can, onSave }: SideProps) {
  const id = useId();
  const { chosen, isDraft, messages, model, trial, version } = side;
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3 rounded border border-line bg-raised p-4">
      <h2 id={id} className="text-section">
        {title}
      </h2>
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        <Choice
          name={`text-${title}`}
          label="Text"
          value={isDraft ? draft_value : chosen}
          options={[
            ...(isDraft ? [{ value: draft_value, label: `draft of ${version}` }] : []),
            ...labels.map((one) => ({ value: one.label, label: `${one.label} (${one.version})` })),
            ...versions,
          ]}
          onChange={({ currentTarget: { value } }) => value !== draft_value && side.choose(value)}
        />
        <Choice
          name={`model-${title}`}
          label="Model"
          value={model ?? ''}
          options={models ?? []}
          onChange={({ currentTarget: { value } }) => side.pickModel(value)}
        />
      </div>
      {side.error !== null && <Refusal error={side.error} />}
      {!side.isLoaded && side.error === null && <div className="skeleton h-24" />}
      <Texts messages={messages} onChange={side.edit} />
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => side.edit([...messages, { role: 'user', content: '' }])}>Add a message</Button>
        {isDraft && (
          <Button look="quiet" onClick={() => side.choose(chosen)}>
            Drop the draft
          </Button>
        )}
        <span className="ml-auto">
          <Action
            can={isDraft ? can : { allowed: false, reason: 'Change the text first: it is a version already.' }}
            svc={`svc registry prompt edit ${name}`}
            onPress={onSave}
          >
            Save as version…
          </Action>
        </span>
      </div>
      <Answer title={title} trial={trial} />
    </section>
  );
}

const draft_value = ' draft';

function Texts({
  messages,
  onChange,
}: {
  messages: readonly Message[];
  onChange: (messages: readonly Message[]) => void;
}) {
  const isOne = messages.length === 1 && messages[0]?.role === 'user';
  const change = (at: number, with_: Partial<Message>) =>
    onChange(messages.map((one, index) => (index === at ? { ...one, ...with_ } : one)));
  return (
    <>
      {messages.map(({ role, content }, at) => (
        <div key={at} className="flex flex-col gap-1">
          {!isOne && (
            <div className="flex items-center gap-2">
              <select
                aria-label={`Role of message ${at + 1}`}
                value={role}
                className="field w-auto"
                onChange={({ currentTarget: { value } }) => change(at, { role: value as Message['role'] })} // of the options
              >
                {['system', 'user', 'assistant'].map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
              {messages.length > 1 && (
                <Button look="quiet" onClick={() => onChange(messages.toSpliced(at, 1))}>
                  Remove message {at + 1}
                </Button>
              )}
            </div>
          )}
          <TextArea
            name={`message-${at}`}
            label={isOne ? 'Prompt' : `Message ${at + 1}`}
            isCode
            rows={5}
            value={content}
            onChange={({ currentTarget: { value } }) => change(at, { content: value })}
          />
        </div>
      ))}
    </>
  );
}
