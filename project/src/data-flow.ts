// Which tools of a server read private data, bring text that others wrote, and send something out. The config of the server says it. Where it does not, the answer is the careful one.
import { z } from 'zod';
import { toolName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';

const some = z.union([z.boolean(), listOf(toolName, 100).min(1)]);

export const dataFlow = z
  .strictObject({
    private_data: some
      .optional()
      .describe('The tools whose results hold private data; unset: all where calls have a secret or a credential'),
    outside_text: some
      .optional()
      .describe(
        'The tools whose results hold text that others wrote; unset: those without the annotation `openWorldHint: false`, and none of a program without `egress`',
      ),
    sends_out: some
      .optional()
      .describe('The tools that send something out; unset: as for `outside_text`, because an address is enough'),
  })
  .describe('What its tools read and send: true for all, false for none, or a list. Rules read it as `run`');
type DataFlow = z.output<typeof dataFlow>;

export interface FlowOfTool {
  private_data: boolean;
  outside_text: boolean;
  sends_out: boolean;
}

interface FlowingConfig {
  data_flow?: DataFlow | undefined;
  secret?: string | undefined;
  secrets?: string[] | undefined;
  as?: string | undefined;
  package?: string | undefined;
  egress?: string[] | undefined;
}

/** Of a tool; without one, of a resource. */
export function flowOf(
  { data_flow = {}, ...config }: FlowingConfig,
  tool: { name: string; annotations?: Record<string, unknown> } | undefined,
): FlowOfTool {
  const hasCredential = config.secret !== undefined || config.as !== undefined || (config.secrets ?? []).length > 0;
  const isWalledIn = config.package !== undefined && (config.egress ?? []).length === 0;
  const isOpen = !isWalledIn && tool?.annotations?.['openWorldHint'] !== false;
  const holds = (said: boolean | string[] | undefined, otherwise: boolean) =>
    Array.isArray(said) ? tool === undefined || said.includes(tool.name) : (said ?? otherwise);
  return {
    private_data: holds(data_flow.private_data, hasCredential),
    outside_text: holds(data_flow.outside_text, isOpen),
    sends_out: holds(data_flow.sends_out, isOpen),
  };
}
