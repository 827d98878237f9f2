// The tools of an MCP server for people. Each text is shown whole, because a model follows it.
import type { Difference } from '@gantry/contract/assets/difference.ts';
import type { ServerTools, ToolDefinition } from '@gantry/contract/assets/tools.ts';
import { required, text } from '../command.ts';
import { fields, line, shortDigest, state, strong, time, verbatim, type Block, type View } from '../view/view.ts';

export const serverArgument = required('The name of the MCP server', 'mcp-server');
export const versionFlag = text('A version of the server; without it the newest', 'version');

export function isUnpinned({ pinned, seen }: ServerTools): boolean {
  return seen !== null && seen.digest !== pinned?.digest;
}

/** What is pinned, and what the newest list has that differs. */
export function toolsView({ ref, hosted, pinned, seen, added, removed, changed }: ServerTools): View {
  return [
    fields({
      server: strong(ref),
      pinned:
        pinned === null
          ? 'nothing: agents call no tool of it'
          : [shortDigest(pinned.digest), `  by ${pinned.by}  `, time(pinned.at)],
      seen: seen === null ? 'never asked' : [shortDigest(seen.digest), '  ', time(seen.at)],
      ...(hosted === null ? {} : hostedFields(hosted)),
    }),
    ...(pinned?.tools ?? []).flatMap((tool) =>
      [...changed.map(({ before }) => before), ...removed].some(
        (one) => one.kind === tool.kind && one.name === tool.name,
      )
        ? []
        : toolBlocks(tool),
    ),
    ...differenceView({ added, removed, changed }),
  ];
}

function hostedFields({
  package: hosted,
  image,
  components,
  egress,
  share,
  running,
}: NonNullable<ServerTools['hosted']>) {
  return {
    package: hosted,
    image: image === null ? 'not built for agents yet' : [shortDigest(image), `  ${components.length} packages`],
    network: egress.length === 0 ? 'none' : egress.join(', '),
    containers: `${running} running; shared by ${sharers[share]}`,
  };
}

const sharers = {
  call: 'nobody: each call has its own',
  caller: 'the calls of one caller',
  revision: 'all callers of a revision',
} as const;

/** Only what pinning the newest list would change. */
export function differenceView({ added, removed, changed }: Pick<ServerTools, 'added' | 'removed' | 'changed'>): View {
  return [
    ...added.flatMap((tool) => toolBlocks(tool, 'added')),
    ...changed.flatMap(({ before, after }) => [...toolBlocks(before, 'until now'), ...toolBlocks(after, 'changed')]),
    ...removed.map(({ kind, name }) => line(state('removed'), ' ', strong(nameOf(kind, name)))),
  ];
}

/** What a version brings to its agent, as a reviewer reads it. */
export function changedTools(changes: Difference['tools']): View {
  return changes.flatMap(({ server, change, before, after }) => {
    const of = { server };
    if (after === null) {
      const name = before === null ? '' : nameOf(before.kind, before.name);
      return [line(state('removed'), ' ', strong(name), ` of ${server}`)];
    }
    if (change === 'added' || before === null) return toolBlocks(after, 'added', of);
    return [...toolBlocks(before, 'until now', of), ...toolBlocks(after, 'changed', of)];
  });
}

const nameOf = (kind: ToolDefinition['kind'], name: string) => (kind === 'tool' ? name : `prompt ${name}`);

function toolBlocks(
  { kind, name, description, definition }: ToolDefinition,
  word?: string,
  of?: { server: string },
): Block[] {
  return [
    line(
      ...(word === undefined ? [] : [state(word), ' ']),
      strong(nameOf(kind, name)),
      ...(of === undefined ? [] : [` of ${of.server}`]),
    ),
    ...(description === '' ? [] : [verbatim(description)]),
    verbatim(JSON.stringify((kind === 'tool' ? definition['inputSchema'] : definition['arguments']) ?? {})),
  ];
}
