import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { count } from '../../parts/figures/figures.ts';
import { saveFile } from '../../parts/browser/save-file.ts';
import { refresh } from '../../server.ts';
import { exportLog } from './export-log.ts';

/** The whole log as a file, as `svc audit export` writes it. */
export function useExport() {
  const [entries, setEntries] = useState(0);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => await exportLog(setEntries, AbortSignal.timeout(600_000)),
    onSuccess: (log) => {
      saveFile(`audit-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.ndjson`, log);
      refresh(['audit']);
    },
  });
  return {
    begin: () => mutate(),
    isBusy: isPending,
    error: error ?? undefined,
    label: isPending ? `Exporting ${count(entries)}` : 'Export',
  };
}
