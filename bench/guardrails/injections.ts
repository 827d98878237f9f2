// Measures `prompt_injection` on the attacks of AgentDojo, and writes docs/reference/injection-measurements.md. The attacks are an argument,
// because they are texts of the Python package agentdojo and not of this repository:
//   pip download --no-deps agentdojo && python3 bench/guardrails/attacks.py agentdojo-*.whl > attacks.json
//   node bench/guardrails/injections.ts attacks.json
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { textRulesOf } from '../../server/src/testing/models/rules-of.ts';
import { spansIn } from './score.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node bench/guardrails/injections.ts <attacks.json>');
const attacks = z
  .array(z.object({ name: z.string(), text: z.string() }))
  .parse(JSON.parse(await readFile(file, 'utf8')));
const clone = resolve(import.meta.dirname, '../..');
const rules = textRulesOf('prompt_injection', { action: 'redact' });
const isFound = async (text: string) => (await spansIn(text, rules)).length > 0;

const rows: string[] = [];
for (const [name, texts] of Map.groupBy(attacks, (attack) => attack.name)) {
  let found = 0;
  for (const { text } of texts) if (await isFound(`Here is the mail.\n${text}\nBest regards`)) found++;
  rows.push(`| ${name} | ${texts.length} | ${found} |`);
}
const readmes: string[] = [];
for await (const path of glob('node_modules/**/*.md', { cwd: clone })) readmes.push(path);
const harmless = readmes.toSorted().slice(0, 1000);
const flagged: string[] = [];
for (const path of harmless) if (await isFound(await readFile(join(clone, path), 'utf8'))) flagged.push(path);
for (const path of flagged) process.stdout.write(`${path}\n`);

await writeFile(
  join(clone, 'docs/reference/injection-measurements.md'),
  `# Measurements of prompt_injection

The attacks are those of AgentDojo: each of its texts around each of its goals, inside a mail. \`prompt_injection\` has its default options, without
a model. The forms were made with a knowledge of these attacks, so the figures are no forecast for others.

| attack | texts | found |
| --- | --- | --- |
${rows.join('\n')}

\`direct\` is a task without any order to the model: no form can tell it from the text of a mail. The option \`model\` reads for that.

${flagged.length} of ${harmless.length} harmless texts are flagged: the Markdown files of the installed npm packages.

The forms are in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Turkish, Russian, Ukrainian, Chinese, Japanese, Korean,
Arabic and Hindi. Each language beside English has a few forms. Only what tools return is read. A passage that the agent's code puts into a
message of the user is not.
`,
);
