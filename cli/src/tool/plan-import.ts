// What an import of operations changes: new tools, changed ones, and those that are as the document has them.
import { isDeepStrictEqual } from 'node:util';
import { nextVersion } from '@gantry/project/agent-yaml/bump-version.ts';
import type { OpenApiDocument } from '@gantry/project/openapi/document.ts';
import type { Operation } from '@gantry/project/openapi/operations.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { checkedConfig, printConfig, type Config } from '../registry/typed-config.ts';
import { CliRefusal, misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { difference } from '../view/difference.ts';
import { line, strong, type View } from '../view/view.ts';

export interface ImportWish {
  document: OpenApiDocument;
  operations: Operation[];
  prefix: string;
  secret: string | undefined;
  secret_header: string | undefined;
  server: string | undefined;
  document_url: string | undefined;
}

export interface PlannedTool {
  name: string;
  operation: string;
  config: Config;
  /** Where it sends calls, and its secret. */
  url: string;
  left_out: string[];
  change: 'new' | 'changed' | 'same';
  /** Of a changed one. */
  version: string;
  difference: View;
}

/** Nothing is changed here. Throws a refusal for an operation that cannot become a tool. */
export async function planImport(session: Session, wish: ImportWish): Promise<PlannedTool[]> {
  const { toolOfOperation, toolNameOf } = await import('@gantry/project/openapi/tool-of-operation.ts');
  const { OpenApiFault } = await import('@gantry/project/openapi/document.ts');
  const planned: PlannedTool[] = [];
  for (const operation of wish.operations) {
    const name = toolNameOf(operation, wish.prefix);
    if (planned.some((one) => one.name === name))
      throw misuse(`${operation.id} and another operation would both be tools/${name}`, 'Import them one by one.');
    try {
      const { config, left_out } = toolOfOperation(wish.document, operation, wish);
      const made = { name, operation: operation.id, url: config.url ?? '', left_out };
      planned.push({ ...made, ...(await compared(session, name, config)) });
    } catch (error) {
      if (!(error instanceof OpenApiFault)) throw error;
      throw new CliRefusal('not_importable', `${operation.id} cannot become a tool: ${error.message}`);
    }
  }
  return planned;
}

/** What people have set beside the document, and an import keeps. */
const own = ['timeout_seconds', 'secret', 'secret_header', 'rules', 'approve', 'rule_tests', 'rate', 'price_usd'];

async function compared(
  session: Session,
  name: string,
  imported: object,
): Promise<Pick<PlannedTool, 'config' | 'change' | 'version' | 'difference'>> {
  const before = await found(session, name);
  const kept = Object.fromEntries(Object.entries(before?.config ?? {}).filter(([field]) => own.includes(field)));
  const { config } = await checkedConfig('tool', JSON.stringify({ ...kept, ...imported }), `tools/${name}`);
  if (before === undefined) return { config, change: 'new', version: '1.0.0', difference: [] };
  const version = nextVersion(before.latest_version ?? '0.0.0', 'minor');
  if (version === undefined) throw misuse(`tools/${name} has no next version`, 'Delete it first.');
  if (isDeepStrictEqual(config, before.config)) return { config, change: 'same', version, difference: [] };
  const [had, has] = [await printConfig(before.config ?? {}), await printConfig(config)];
  const changes = difference(had.split('\n'), has.split('\n'));
  return { config, change: 'changed', version, difference: [line(strong(`tools/${name}@${version}`)), ...changes] };
}

async function found(session: Session, name: string) {
  try {
    return await session.call('registry.show', { params: { kind: 'tool', name } });
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}
