import { defineCommand, text } from '../../command.ts';
import { yesFlag } from '../../input/confirm-final.ts';
import { differenceView, isUnpinned, serverArgument, versionFlag } from '../../mcp/describe-tools.ts';
import { CliRefusal } from '../../refusal.ts';
import { good, line, shortDigest } from '../../view/view.ts';

export const command = defineCommand({
  words: 'mcp pin',
  summary: 'Read what an MCP server offers now, and let agents call exactly that',
  needs: 'tools.pin',
  examples: ['svc mcp pin weather', 'svc mcp pin weather --yes', 'svc mcp pin weather --digest sha256:… --json'],
  arguments: { server: serverArgument },
  flags: {
    version: versionFlag,
    digest: text('Pin only the list with this digest, which was read before', 'digest'),
    yes: yesFlag,
  },
  async run({ server, version, digest, yes }, session) {
    const named = { params: { name: server }, query: { version } };
    const seen = await session.call('tools.look', named);
    const { ref } = seen;
    if (!isUnpinned(seen)) return { data: seen, view: [line(good('✓ '), `${ref} offers what is pinned`)] };
    const offered = seen.seen?.digest ?? '';
    if (digest === undefined && !yes) {
      session.output.show(differenceView(seen));
      if (!(await session.prompt.confirm(`Let agents call this list of ${ref}?`, '--digest')))
        throw new CliRefusal('declined', 'nothing was pinned');
    }
    const pinned = await session.call('tools.pin', { ...named, body: { digest: digest ?? offered } });
    const count = pinned.pinned?.tools.filter(({ kind }) => kind === 'tool').length ?? 0;
    return {
      data: pinned,
      view: [line(good('✓ '), `Agents may call ${count} tools of ${ref}: `, shortDigest(offered))],
      next: [{ command: 'svc deploy', when: 'for an agent that names the server and was pushed before' }],
    };
  },
});
