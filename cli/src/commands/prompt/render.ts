import { defineCommand, required, values } from '../../command.ts';
import { readPromptAt } from '../../prompt/read-prompt-at.ts';
import { faint, line, verbatim } from '../../view/view.ts';

export const command = defineCommand({
  words: 'prompt render',
  summary: 'Show the text of a prompt with values for its variables',
  needs: 'asset.invoke',
  examples: [
    'svc prompt render greeting --var name=Ada',
    'svc prompt render greeting@1.2.0 --var name=Ada',
    'svc prompt render greeting@production --var name=Ada --json',
  ],
  arguments: { prompt: required('Its name, with @<version> or @<label>; without one the newest version', 'prompt') },
  flags: { var: values('A variable and its value; repeatable') },
  async run({ prompt, var: variables }, session) {
    const { name, version = 'latest' } = readPromptAt(prompt);
    const rendered = await session.call('prompts.render', { params: { name }, body: { version, variables } });
    const { ref, label, messages } = rendered;
    session.output.note(faint(label === null ? ref : `${ref}, the ${label} version`));
    const isConversation = messages.length > 1 || messages[0]?.role !== 'user';
    return {
      data: rendered,
      view: messages.flatMap(({ role, content }) =>
        isConversation ? [line(faint(`${role}:`)), verbatim(content)] : [verbatim(content)],
      ),
    };
  },
});
