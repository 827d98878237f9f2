import type { Page } from '../page.ts';
import { agentYamlPage } from './agent-yaml.ts';
import { apiPage } from './api.ts';
import { assetConfigsPage } from './asset-configs.ts';
import { commandsPage } from './commands.ts';
import { failureModesPage } from './failure-modes.ts';
import { guardrailsPage } from './guardrails.ts';
import { orchestrationYamlPage } from './orchestration-yaml.ts';
import { problemsPage } from './problems.ts';
import { settingsPage } from './settings.ts';
import { sizesPage } from './sizes.ts';
import { targetsPage } from './targets.ts';
import { threatsPage } from './threats.ts';

export async function pages(): Promise<Page[]> {
  return [
    agentYamlPage(),
    apiPage(),
    assetConfigsPage(),
    await commandsPage(),
    await failureModesPage(),
    guardrailsPage(),
    orchestrationYamlPage(),
    problemsPage(),
    settingsPage(),
    await sizesPage(),
    await targetsPage(),
    await threatsPage(),
  ];
}
