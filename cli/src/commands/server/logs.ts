import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { defineCommand, toggle, whole } from '../../command.ts';
import { CliRefusal } from '../../refusal.ts';
import { logFile, tailOfLog } from '../../server/server-process.ts';
import { installedUnit } from '../../server/systemd.ts';
import { describeServerLine } from '../../server/describe-server-line.ts';

export const command = defineCommand({
  words: 'server logs',
  summary: "The service's own log: time, level, message and the rest; --json prints its lines unchanged",
  needs: 'this machine',
  examples: ['svc server logs', 'svc server logs -f --tail 20'],
  arguments: {},
  flags: {
    follow: toggle('Keep printing new lines', 'f'),
    tail: whole('The number of latest lines (default 100)', 'lines', { least: 0, most: 100_000 }),
  },
  async run({ follow, tail = 100 }, session) {
    const unit = installedUnit(session.config);
    if (unit !== undefined)
      throw new CliRefusal('log_of_systemd', `systemd keeps the log of ${unit}`, {
        hint: `Run \`journalctl --unit=${unit}\`.`,
      });
    const latest = tailOfLog(session.config, tail);
    if (latest === '' && !(follow && existsSync(logFile(session.config))))
      throw new CliRefusal('no_log', `There is no log at ${logFile(session.config)}`, {
        hint: 'Run `svc server start`.',
      });
    const lines = latest.split('\n').filter((each) => each !== '');
    const describe = (text: string) => describeServerLine(text, session.output.mode);
    if (!follow) return { data: lines, view: lines.map(describe) };
    session.output.show(lines.map(describe));
    const stopped = new AbortController();
    using _taken = session.onInterrupt(() => stopped.abort());
    for await (const text of followFile(logFile(session.config), stopped.signal)) {
      session.output.event(text);
      session.output.show([describe(text)]);
    }
    return { data: undefined, view: [] };
  },
});

/** The lines that are appended from now on, until the signal. */
async function* followFile(file: string, signal: AbortSignal): AsyncGenerator<string> {
  await using handle = await open(file);
  let position = (await handle.stat()).size;
  let rest = '';
  const decoder = new TextDecoder();
  while (!signal.aborted) {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64 * 1024), position });
    position += bytesRead;
    const lines = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (bytesRead === 0) await delay(200);
  }
}
