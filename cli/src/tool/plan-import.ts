// What an import of operations changes: new tools, changed ones, and those that are as the document has them.
import type { OpenApiDocument } from '@gantry/project/openapi/document.ts';
import type { Operation } from '@gantry/project/openapi/operations.ts';
import { compareConfig, picked, type ComparedConfig } from '../registry/compare-config.ts';
import { CliRefusal, misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

export interface ImportWish {
  document: OpenApiDocument;
  operations: Operation[];
  prefix: string;
  secret: string | undefined;
  secret_header: string | undefined;
  server: string | undefined;
  document_url: string | undefined;
}

export interface PlannedTool extends ComparedConfig {
  name: string;
  operation: string;
  /** Where it sends calls, and its secret. */
  url: string;
  left_out: string[];
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
      const merge = (before: Record<string, unknown>) => ({ ...picked(before, own), ...config });
      planned.push({ ...made, ...(await compareConfig(session, { kind: 'tool', name, merge })) });
    } catch (error) {
      if (!(error instanceof OpenApiFault)) throw error;
      throw new CliRefusal('not_importable', `${operation.id} cannot become a tool: ${error.message}`);
    }
  }
  return planned;
}

/** What people have set beside the document, and an import keeps. */
const own = ['timeout_seconds', 'secret', 'secret_header', 'rules', 'approve', 'rule_tests', 'rate', 'price_usd'];
