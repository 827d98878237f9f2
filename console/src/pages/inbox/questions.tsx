// What a waiting run asks, and the form of its answer. Of several questions, each has its own form, and all are sent together.
import type { Interrupt } from '@gantry/contract/agents/threads.ts';
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { Values } from '../../parts/values.tsx';
import { parseAnswer } from './parse-answer.ts';
import { ActionsForm } from './actions-form.tsx';
import { questionOf, sentenceOf, type Question } from './question-shapes.ts';

interface QuestionsProps {
  interrupts: readonly Interrupt[];
  onAnswer: (value: unknown) => void;
  isSending: boolean;
  /** Of the last try. */
  error: unknown;
}

export function Questions({ interrupts, onAnswer, isSending, error }: QuestionsProps) {
  const [answers, setAnswers] = useState<Readonly<Record<string, unknown>>>({});
  const give = (id: string | null, value: unknown) => {
    if (interrupts.length === 1 || id === null) return onAnswer(value);
    const now = { ...answers, [id]: value };
    setAnswers(now);
    // langgraph takes the answers to several questions by their ids.
    if (interrupts.every((one) => one.id !== null && one.id in now)) onAnswer(now);
  };
  return (
    <div className="flex flex-col gap-3">
      {interrupts.map(({ id, ...asked }, index) => (
        <fieldset
          key={id ?? index}
          disabled={isSending}
          className="min-w-0 rounded border border-line border-l-2 border-l-waiting bg-raised px-3 py-2.5"
        >
          <legend className="sr-only">Question {index + 1}</legend>
          {id !== null && id in answers && interrupts.length > 1 ? (
            <p className="text-quiet">Answered. {interrupts.length - Object.keys(answers).length} more to answer.</p>
          ) : (
            <OneQuestion question={questionOf({ id, ...asked })} onAnswer={(answer) => give(id, answer)} />
          )}
        </fieldset>
      ))}
      {error !== null && error !== undefined && <Refusal error={error} />}
    </div>
  );
}

function OneQuestion({ question, onAnswer }: { question: Question; onAnswer: (value: unknown) => void }) {
  if (question.kind === 'actions') return <ActionsForm {...question} onAnswer={onAnswer} />;
  const { value } = question;
  const sentence = sentenceOf(value);
  return (
    <div className="flex flex-col gap-2.5">
      {sentence === undefined ? <Values value={value} /> : <Markdown text={sentence} />}
      {sentence !== undefined && typeof value === 'object' && Object.keys(value ?? {}).length > 1 && (
        <details className="text-meta">
          <summary className="text-quiet">All that it says</summary>
          <Values value={value} />
        </details>
      )}
      {question.kind === 'choice' ? (
        <div className="flex flex-wrap gap-2">
          {question.options.map((option) => (
            <Button key={option} onClick={() => onAnswer(option)}>
              {option}
            </Button>
          ))}
        </div>
      ) : (
        <OpenAnswer onAnswer={onAnswer} />
      )}
    </div>
  );
}

/** A text, or any JSON. */
function OpenAnswer({ onAnswer }: { onAnswer: (value: unknown) => void }) {
  const [text, setText] = useState('');
  const [isJson, setJson] = useState(false);
  const parsed = isJson ? parseAnswer(text) : { value: text };
  const isReady = text.trim() !== '' && parsed !== undefined;
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onAnswer(parsed.value);
      }}
    >
      <label className="flex flex-col gap-1">
        <span className="font-strong">Your answer</span>
        <textarea
          rows={2}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          className={`field h-auto field-sizing-content max-h-60 py-2 ${isJson ? 'font-mono text-meta' : ''}`}
        />
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="main" disabled={!isReady} focusableWhenDisabled>
          Answer
        </Button>
        <label className="flex items-center gap-1.5 text-meta text-quiet">
          <input type="checkbox" className="accent-accent" checked={isJson} onChange={() => setJson(!isJson)} />
          as JSON
        </label>
        {isJson && text.trim() !== '' && parsed === undefined && (
          <span className="text-meta text-failed">This is no JSON.</span>
        )}
      </div>
    </form>
  );
}
