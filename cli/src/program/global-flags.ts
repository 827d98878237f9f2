import { text, toggle } from '../command.ts';

/** What every command takes. */
export const globalFlags = {
  json: toggle('Print data as JSON on stdout; one JSON line with what is next on stderr'),
  noInput: toggle('Never ask; an error names the flag to give instead'),
  server: text('The service to talk to (else SERVICE_URL)', 'url'),
  team: { ...text('The team to act for, in this command only (else the context)', 'name'), names: 'team' },
} as const;
