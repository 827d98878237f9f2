import { parseRef } from '@gantry/contract/refs.ts';
import { defineCommand, optional } from '../command.ts';
import { misuse } from '../refusal.ts';
import { line, link } from '../view/view.ts';

export const command = defineCommand({
  words: 'open',
  summary: 'The address of the web console, or of the page of an agent, an asset or a request',
  needs: 'nothing',
  examples: ['svc open', 'svc open agents/greeter'],
  arguments: { what: optional('<kind>/<name>, or the id of a request; home without it') },
  flags: {},
  run: async ({ what }, session) => {
    const url = new URL(what === undefined ? '/' : pageOf(what), session.server).href;
    return await Promise.resolve({ data: { url }, view: [line(link(url))] });
  },
});

function pageOf(what: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(what)) return `/approvals/${what}`;
  const ref = parseRef(what);
  if (ref === undefined) throw misuse(`${what} is not <kind>/<name> and no id of a request`);
  return ref.kind === 'agent' ? `/agents/${ref.name}` : `/registry/${ref.kind}/${ref.name}`;
}
