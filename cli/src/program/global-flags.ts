import { text, toggle } from '../command.ts';

/** The flags of every command. */
export const globalFlags = {
  json: toggle('Print data as JSON on stdout; one JSON line with the next steps on stderr'),
  noInput: toggle('Never ask; an error names the flag to give instead'),
  server: text('The address of the service (default: SERVICE_URL)', 'url'),
  team: { ...text('The team to act for, in this command only (default: the context)', 'name'), names: 'team' },
} as const;
