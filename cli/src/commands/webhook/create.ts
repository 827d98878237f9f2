import { defineCommand, needed, required, text } from '../../command.ts';
import { secretLine } from '../../webhook/describe-webhook.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'webhook create',
  summary: 'Send events to an address, from now on; prints the signing secret, once',
  needs: 'webhook.change',
  examples: [
    'svc webhook create siem --url https://siem.example.com/gantry --events "*"',
    'svc webhook create chat --url https://chat.example.com/hooks/gantry --events approval.*,deploy',
  ],
  arguments: { name: required('Lower-case letters, digits and hyphens') },
  flags: {
    url: needed(text('The address; put no secret into it, because the audit log shows it', 'address')),
    events: needed(
      text('The events, separated by commas: one (deploy), all of a kind (approval.*), or *', 'list'),
      'Name some, such as --events approval.*,deploy.',
    ),
  },
  async run({ name, url, events }, session) {
    const list = events.split(',').map((event) => event.trim());
    const webhook = await session.call('webhooks.create', { body: { name, url, events: list } });
    return {
      data: webhook,
      view: [
        line(good('✓ '), `${webhook.name} sends ${webhook.events.join(', ')} to ${webhook.url}`),
        ...secretLine(webhook.secret),
      ],
      next: [{ command: `svc webhook test ${webhook.name}`, when: 'to test the delivery' }],
      undo: `svc webhook delete ${webhook.name}`,
    };
  },
});
