import { settings } from '../../server/src/ground/config/config.ts';
import { table, type Page } from '../page.ts';

/** Every setting of the service. */
export function settingsPage(): Page {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const absent: unknown = schema.safeParse(undefined).data;
    const fallback =
      absent === undefined || (Array.isArray(absent) && absent.length === 0)
        ? ''
        : `\`${JSON.stringify(absent).replaceAll('"', '')}\``;
    return [`\`${name}\``, fallback, schema.description ?? ''];
  });
  return {
    file: 'settings.md',
    text: `# Settings

Environment variables of the service. \`~/.config/gantry/server.env\` (\`KEY=value\` lines, 0600) gives defaults that the environment overrides. The service reports all faults at once, and then does not start.

${table(['setting', 'default', 'meaning'], rows)}
`,
  };
}
