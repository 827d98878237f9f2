// Tools of MCP servers, with all that their servers say of them: a model follows these texts.
import type { Difference } from '@gantry/contract/assets/difference.ts';
import type { ToolDefinition } from '@gantry/contract/assets/tools.ts';
import { visible } from '../../parts/visible.ts';
import { signs } from './signs.ts';

interface ShownTool {
  name: string;
  /** mcp-servers/<name>, where the page is not about one server. */
  server?: string;
  change?: Difference['tools'][number]['change'];
  before: ToolDefinition | null;
  after: ToolDefinition | null;
}

export function ToolTexts({ tools }: { tools: readonly ShownTool[] }) {
  return (
    <ul className="rounded border border-line bg-raised">
      {tools.map((tool) => (
        <Tool key={`${tool.server ?? ''} ${tool.name} ${tool.change ?? ''}`} tool={tool} />
      ))}
    </ul>
  );
}

function Tool({ tool: { name, server, change, before, after } }: { tool: ShownTool }) {
  const { sign, look, word } = change === undefined ? { sign: '', look: '', word: '' } : signs[change];
  return (
    <li className="border-b border-line px-3 py-2 last:border-b-0">
      <p className="flex flex-wrap items-baseline gap-x-2">
        {change !== undefined && (
          <span className={`font-mono ${look}`} title={word}>
            {sign}
            <span className="sr-only">{word}</span>
          </span>
        )}
        <span className={`font-strong break-words ${after === null ? 'line-through' : ''}`}>{visible(name)}</span>
        {server !== undefined && <span className="text-meta text-quiet">of {server}</span>}
      </p>
      {after !== null && before !== null && <Text label="Until now" of={before} />}
      {after !== null && <Text label={before === null ? undefined : 'Now'} of={after} />}
    </li>
  );
}

function Text({ label, of: { description, definition } }: { label: string | undefined; of: ToolDefinition }) {
  return (
    <div className="mt-1">
      {label !== undefined && <p className="text-meta text-quiet">{label}</p>}
      {description !== '' && <p className="break-words whitespace-pre-wrap">{visible(description)}</p>}
      <details className="mt-0.5">
        <summary className="cursor-pointer text-meta text-quiet">Schema and annotations</summary>
        <pre className="max-h-96 overflow-auto font-mono text-meta break-words whitespace-pre-wrap">
          {visible(JSON.stringify(definition, null, 2))}
        </pre>
      </details>
    </div>
  );
}
