// What agents may call of an MCP server, and what the server has changed since a person pinned it. A pin names the list that was read here.
import type { ServerTools } from '@gantry/contract/assets/tools.ts';
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { count } from '../../parts/figures/figures.ts';
import { When } from '../../parts/figures/when.tsx';
import { Digest } from '../../parts/copy.tsx';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { ToolTexts } from '../approvals/tool-texts.tsx';

export function ServerToolsOf({ name, version }: { name: string; version: string }) {
  const of = { params: { name }, query: { version } };
  const { data: tools, error } = useQuery(ask('tools.show', of));
  const look = useSend('tools.look', { says: () => `mcp-servers/${name} has answered` });
  if (error !== null) return <Refusal error={error} />;
  return (
    <Section title={`Tools of ${version}`} aside={tools?.pinned && count(tools.pinned.tools.length)}>
      {tools === undefined ? <div className="skeleton h-24" /> : <Pinned tools={tools} />}
      <div className="mt-2">
        <Button disabled={look.isPending} onClick={() => look.mutate(of)}>
          {look.isPending ? 'Asking…' : 'Ask the server now'}
        </Button>
      </div>
      {look.error !== null && <Refusal error={look.error} />}
      {tools !== undefined && isNews(tools) && <Seen of={of} tools={tools} />}
    </Section>
  );
}

function Pinned({ tools: { pinned, seen, removed, changed } }: { tools: ServerTools }) {
  if (pinned === null)
    return (
      <p className="rounded border border-line bg-raised px-3 py-2.5 text-quiet">
        Nobody has pinned a list of this version, so agents call none of its tools.
        {seen === null && ' The server was not asked yet.'}
      </p>
    );
  const differs = new Set([...removed.map(({ name }) => name), ...changed.map(({ before }) => before.name)]);
  const same = pinned.tools.filter(({ name }) => !differs.has(name));
  return (
    <>
      <p className="mb-2 text-quiet">
        Agents may call what {pinned.by} pinned <When at={pinned.at} />: <Digest digest={pinned.digest} />
      </p>
      {same.length > 0 && <ToolTexts tools={same.map((after) => ({ name: after.name, before: null, after }))} />}
    </>
  );
}

const isNews = ({ pinned, seen }: ServerTools) => seen !== null && seen.digest !== pinned?.digest;

function Seen({
  of,
  tools: { ref, seen, added, removed, changed },
}: {
  of: { params: { name: string }; query: { version: string } };
  tools: ServerTools;
}) {
  const pin = useSend('tools.pin', { says: () => `The tools of ${ref} are pinned` });
  if (seen === null) return null;
  return (
    <>
      <h3 className="mt-4 mb-1.5 font-strong">
        The server lists something else since <When at={seen.at} />
      </h3>
      <ToolTexts
        tools={[
          ...added.map((after) => ({ name: after.name, change: 'added' as const, before: null, after })),
          ...changed.map(({ before, after }) => ({ name: after.name, change: 'changed' as const, before, after })),
          ...removed.map((before) => ({ name: before.name, change: 'removed' as const, before, after: null })),
        ]}
      />
      <div className="mt-2 flex flex-wrap items-baseline gap-3">
        <Button
          look="main"
          disabled={pin.isPending}
          onClick={() => pin.mutate({ ...of, body: { digest: seen.digest } })}
        >
          Pin this list
        </Button>
        <span className="text-meta text-quiet">
          A model follows these texts. Changed tools are refused until then; new ones reach an agent with its next push.
        </span>
      </div>
      {pin.error !== null && <Refusal error={pin.error} />}
    </>
  );
}
