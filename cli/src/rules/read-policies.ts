// The rules on calls in a file of this machine, or in the config of an MCP server of the registry.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '@gantry/project/finding.ts';
import type { RuleTestResult } from '@gantry/project/call-rules/run-tests.ts';
import { readGiven } from '../input/read-given.ts';
import { suggestAsset } from '../registry/named.ts';
import { CliRefusal } from '../refusal.ts';
import { describeFindings } from '../project/describe-findings.ts';
import type { Session } from '../session/session.ts';

export interface TestedRules {
  file: string;
  text: string;
  results: RuleTestResult[];
}

/** Runs the tests beside the rules. `given` is an agent.yaml, its folder, a file with the config of a server, or the name of a server. */
export async function runGivenTests(session: Session, given: string): Promise<TestedRules> {
  const { policiesOfAgent, runAll } = await import('@gantry/project/call-rules/test-findings.ts');
  const file = fileOf(given);
  const text = file === undefined ? await configOf(session, given) : await readGiven(file);
  const name = file ?? given;
  if (path.basename(name) === 'agent.yaml') {
    const { parseAgentYaml } = await import('@gantry/project/agent-yaml.ts');
    const { config, findings } = parseAgentYaml(text);
    if (config === undefined) throw invalid(name, findings);
    return { file: name, text, results: await runAll(policiesOfAgent(config)) };
  }
  const { parseAssetConfig } = await import('@gantry/project/asset-config.ts');
  const { config, findings } = parseAssetConfig('mcp-server', text, name);
  if (config === undefined) throw invalid(name, findings);
  const server = path.basename(name).replace(/\.(ya?ml|json)$/, '');
  return { file: name, text, results: await runAll([{ policy: config, at: '', server }]) };
}

function fileOf(given: string): string | undefined {
  if (!existsSync(given)) return undefined;
  return statSync(given).isDirectory() ? path.join(given, 'agent.yaml') : given;
}

async function configOf(session: Session, name: string): Promise<string> {
  const { stringify } = await import('yaml');
  const call = async () => await session.call('registry.show', { params: { kind: 'mcp-server', name } });
  const { config } = await suggestAsset(session, 'mcp-server', name, call);
  return stringify(config);
}

function invalid(file: string, findings: readonly Finding[]): CliRefusal {
  return new CliRefusal('config_invalid', `${file} has faults`, {
    view: describeFindings(findings),
    problem: { code: 'config_invalid', detail: `${file} has faults`, errors: findings },
  });
}
