import type { Page } from '../page.ts';
import { agentYamlPage } from './agent-yaml.ts';
import { apiPage } from './api.ts';
import { assetConfigsPage } from './asset-configs.ts';
import { commandsPage } from './commands.ts';
import { guardrailsPage } from './guardrails.ts';
import { problemsPage } from './problems.ts';
import { settingsPage } from './settings.ts';
import { threatsPage } from './threats.ts';

export async function pages(): Promise<Page[]> {
  return [
    agentYamlPage(),
    apiPage(),
    assetConfigsPage(),
    await commandsPage(),
    guardrailsPage(),
    problemsPage(),
    settingsPage(),
    await threatsPage(),
  ];
}
