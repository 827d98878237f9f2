import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillIn, missingLine, readGuide } from './guide.ts';
import { install, type Installation } from './installation.ts';

const guides = join(import.meta.dirname, '../docs/guide');

describe.each(await readdir(guides))('every command of docs/guide/%s does what the guide says', async (name) => {
  const commands = readGuide(await readFile(join(guides, name), 'utf8'));
  const words = new Map<string, string>();
  let installation: Installation;
  beforeAll(async () => {
    installation = await install();
  });
  afterAll(async () => await installation.stop());

  test.each(commands.map((command) => [`${command.line}: ${command.as} types ${command.command}`, command] as const))(
    '%s',
    async (_, { command, exits, prints, ...typing }) => {
      // A session's token, as a script would hold it.
      const env: Record<string, string> = command.includes('$SERVICE_TOKEN')
        ? { SERVICE_TOKEN: await installation.token(typing.as) }
        : {};
      const ran = await installation.type(fillIn(command, words), { ...typing, env });
      expect({ code: ran.code, output: ran.code === exits ? '' : ran.output }).toEqual({ code: exits, output: '' });
      const missing = missingLine(ran.output, prints, words);
      expect({ missing, output: missing === undefined ? '' : ran.output }).toEqual({ missing: undefined, output: '' });
    },
  );
});
