import { guardrailNames, guardrailPlaces, places } from '@gantry/contract/guardrails/places.ts';
import { defineCommand } from '../../command.ts';
import { faint, line, table } from '../../view/view.ts';

export const command = defineCommand({
  words: 'guardrails list',
  summary: 'The guardrails for agent.yaml: where each checks, and its action there',
  needs: 'nothing',
  examples: ['svc guardrails list', 'svc guardrails list --json'],
  arguments: {},
  flags: {},
  async run() {
    const rows = guardrailNames.map((name) => ({ name, places: guardrailPlaces[name] }));
    return await Promise.resolve({
      data: rows,
      view: [
        table(
          ['guardrail', 'input', 'to the model', 'from the model', 'answer'],
          rows.map((row) => [row.name, ...places.map((place) => actionOf(row.places[place]))]),
          '',
        ),
        line(faint('In parentheses: the other actions that an option can choose.')),
      ],
    });
  },
});

function actionOf({ default: usual, or }: (typeof guardrailPlaces)['topics']['ingress_in']): string {
  const name = usual === 'off' ? '-' : usual;
  return or.length === 0 ? name : `${name} (${or.join(', ')})`;
}
