import { agentFlag } from '../../agent/agent-name.ts';
import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { describeScope, findSecret } from '../../secret/find-secret.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'secret remove',
  summary: 'Remove a secret that no deployed agent uses',
  needs: 'agent_secret.change',
  examples: ['svc secret remove CRM_TOKEN', 'svc secret remove CRM_TOKEN --agent greeter --yes'],
  arguments: { name: required('Its name') },
  flags: { agent: agentFlag('The agent that it belongs to'), yes: yesFlag },
  async run({ name, agent, yes }, session) {
    const secret = await findSecret(session, name, agent);
    const { id } = secret;
    const shown = `secret ${name} of ${describeScope(secret)}`;
    await confirmFinal(session, { yes, deed: `Remove ${shown} and its value`, otherwise: `${shown} was not removed` });
    await session.call('secrets.remove', { params: { id } });
    return { data: { id, name }, view: [line(good('✓ '), `${shown} no longer exists`)] };
  },
});
