// The rules on calls in a file of this machine, or in the config of an MCP server or of a tool of the registry.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { registry_server } from '@gantry/contract/assets/tools.ts';
import { parseRef } from '@gantry/contract/refs.ts';
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

/** Runs the tests beside the rules. `given` is an agent.yaml, its folder, a file with the config of a server or of a tool, the name of a server, or tools/<name>. */
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
  const isTool = ofTool(name) !== undefined || (file !== undefined && (await hasType(text)));
  const { config, findings } = parseAssetConfig(isTool ? 'tool' : 'mcp-server', text, name);
  if (config === undefined) throw invalid(name, findings);
  const server = isTool ? registry_server : path.basename(name).replace(/\.(ya?ml|json)$/, '');
  return { file: name, text, results: await runAll([{ policy: config, at: '', server }]) };
}

function fileOf(given: string): string | undefined {
  if (!existsSync(given)) return undefined;
  return statSync(given).isDirectory() ? path.join(given, 'agent.yaml') : given;
}

/** The name in `tools/<name>`. */
function ofTool(given: string): string | undefined {
  const ref = parseRef(given);
  return ref?.kind === 'tool' ? ref.name : undefined;
}

/** Only the config of a tool has a `type`. */
async function hasType(text: string): Promise<boolean> {
  const { readYaml } = await import('@gantry/project/read-yaml.ts');
  const { value } = readYaml(text, 'config');
  return typeof value === 'object' && value !== null && 'type' in value;
}

async function configOf(session: Session, given: string): Promise<string> {
  const { stringify } = await import('yaml');
  const tool = ofTool(given);
  const [kind, name] = tool === undefined ? (['mcp-server', given] as const) : (['tool', tool] as const);
  const call = async () => await session.call('registry.show', { params: { kind, name } });
  const { config } = await suggestAsset(session, kind, name, call);
  return stringify(config);
}

function invalid(file: string, findings: readonly Finding[]): CliRefusal {
  return new CliRefusal('config_invalid', `${file} has faults`, {
    view: describeFindings(findings),
    problem: { code: 'config_invalid', detail: `${file} has faults`, errors: findings },
  });
}
