// One side of the playground: a text, which is a version, what a label means, or a draft, and the model that it is tried on.
import type { PromptLabel } from '@gantry/contract/agents/prompts.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../../server.ts';
import { configWith, messagesIn, variablesIn, type Message } from './prompt-text.ts';
import { useTrial } from './use-trial.ts';

interface SideSettings {
  name: string;
  labels: readonly PromptLabel[];
  /** A version or a label. */
  first: string;
  model: string | undefined;
}

export type Side = ReturnType<typeof useSide>;

export function useSide({ name, labels, first, model: first_model }: SideSettings) {
  const [chosen, setChosen] = useState(first);
  const [draft, setDraft] = useState<readonly Message[]>();
  const [picked, pickModel] = useState<string>();
  const { trial, begin, stop } = useTrial(name);
  const version = labels.find(({ label }) => label === chosen)?.version ?? chosen;
  const { data, error } = useQuery(ask('registry.show_version', { params: { kind: 'prompt', name, version } }));
  const config = data?.config ?? {};
  const messages = draft ?? messagesIn(config);
  const model = picked ?? first_model;
  return {
    chosen,
    version,
    config,
    messages,
    error,
    isLoaded: data !== undefined,
    isDraft: draft !== undefined,
    variables: variablesIn(messages),
    model,
    trial,
    pickModel,
    stop,
    /** Drops a draft. */
    choose: (of: string) => {
      setChosen(of);
      setDraft(undefined);
    },
    edit: setDraft,
    draft: () => configWith(config, messages),
    /** With the values of its own variables. */
    run: async (values: Readonly<Record<string, string>>, sampling: { max_tokens?: number; temperature?: number }) => {
      if (model === undefined || data === undefined) return;
      // Left empty, the default of the prompt counts.
      const given = variablesIn(messages).flatMap((one) =>
        Object.hasOwn(values, one) ? [[one, values[one] ?? '']] : [],
      );
      const text = draft === undefined ? { version: chosen } : { draft: configWith(config, messages) };
      const variables = Object.fromEntries(given) as Record<string, string>;
      await begin({ ...text, ...sampling, variables, model: `models/${model}` });
    },
  };
}
