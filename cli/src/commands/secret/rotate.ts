import { agentFlag } from '../../agent/agent-name.ts';
import { defineCommand, required } from '../../command.ts';
import { describeScope, findSecret } from '../../secret/find-secret.ts';
import { readValue } from '../../secret/read-value.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'secret rotate',
  summary: 'Set a new value and replace the agents that get it, one after the other, without a failed call',
  needs: 'agent_secret.change',
  examples: ['svc secret rotate CRM_TOKEN', 'svc secret rotate CRM_TOKEN --agent greeter < token'],
  arguments: { name: required('Its name') },
  flags: { agent: agentFlag('The agent that it belongs to') },
  async run({ name, agent }, session) {
    const { replaceAgents } = await import('../../secret/replace-agents.ts');
    const found = await findSecret(session, name, agent);
    const scope = found.agent === null ? { team: found.team ?? '' } : { agent: found.agent };
    const value = await readValue(session, name);
    const secret = await session.call('secrets.set', { body: { name, value, ...scope } });
    const replaced = await replaceAgents(session, secret.used_by);
    const run = replaced.length === 1 ? 'runs' : 'run';
    const by = replaced.length === 0 ? 'no running agent uses it' : `${replaced.join(', ')} ${run} with it`;
    return {
      data: { secret, replaced },
      view: [line(good('✓ '), `${name} of ${describeScope(secret)} has a new value; ${by}`)],
    };
  },
});
