// What axe finds on a page, in both themes. Its source is evaluated by the browser's debugger, because the policy of the page refuses scripts
// from elsewhere.
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

// Only this rule depends on the theme.
const rules = { light: {}, dark: { runOnly: ['color-contrast'] } };

/** One line for each finding. Empty: the page is accessible as far as a program can tell. */
export async function axeFindings(page: Page): Promise<string[]> {
  const findings: string[] = [];
  await page.evaluate(axe.source);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    const options = JSON.stringify({ resultTypes: ['violations'], ...rules[theme] });
    const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
    for (const { id, help, nodes } of violations)
      for (const { html, failureSummary } of nodes)
        findings.push(`${theme} ${id}: ${help}: ${html}\n${failureSummary ?? ''}`);
  }
  await page.emulateMedia({ colorScheme: null });
  return findings;
}
