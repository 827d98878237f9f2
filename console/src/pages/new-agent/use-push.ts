import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { pushProject, type Progress, type Pushed } from './push-project.ts';

interface Pushing {
  name: string;
  files: () => Promise<ReadonlyMap<string, Uint8Array>>;
  onPushed?: (push: Pushed) => void;
}

/** A push with the steps that it has reached; it is sent with its message. */
export function usePush({ name, files, onPushed }: Pushing) {
  const [progress, setProgress] = useState<readonly Progress[]>([]);
  const pushing = useMutation({
    mutationFn: async (message: string) => {
      setProgress([]);
      return await pushProject({ files: await files(), name, message }, (next) =>
        setProgress((before) => [...before.filter((each) => each.name !== next.name), next]),
      );
    },
    onSuccess: onPushed,
  });
  return { progress, pushing };
}
