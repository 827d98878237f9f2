// The only output: nothing else in the client writes to the terminal. Three modes behind one interface.
// - terminal  colours, relative times, tables that fit, one line that is redrawn while something runs
// - plain     the same text as lines, for pipes and build logs: no colour, ISO times, nothing cut or redrawn
// - json      bare data on stdout (long work: one JSON value per line); one JSON line on stderr at the end
// Data goes to stdout, everything about the command itself to stderr. Every text passes `sanitise` (view/render.ts).
import type { Failure } from './failure.ts';
import type { Next, Result } from './result.ts';
import { render, renderLine, type Surface } from './view/render.ts';
import { sanitise } from './view/sanitise.ts';
import { bad, faint, line, whole, type Cell, type Line, type View } from './view/view.ts';
import { fit } from './view/width.ts';

type Mode = 'terminal' | 'plain' | 'json';

export interface Output {
  readonly mode: Mode;
  /** For people: a part of the answer. */
  show(view: View): void;
  /** For people, on stderr: progress and notices of the command. */
  note(...cells: Cell[]): void;
  /** A notice for people and programs. A repeated notice, as from the push and the deploy, is printed once. */
  notice(sentence: string, about?: { at?: string; severity?: 'warning' | 'notice' }): void;
  /** For programs: one event of long work, as a line of JSON. */
  event(data: unknown): void;
  /** A line in its own format, in every mode: printable ASCII. */
  line(text: string): void;
  /** A piece of an answer that arrives in pieces; only for people. */
  write(text: string): void;
  /** The line that is redrawn during work; undefined removes it. Only at a terminal. */
  progress(line: Line | undefined): void;
  /** Help and version text, in every mode. */
  help(text: string): void;
  /** The audit entries of the command's changes; printed at its end. `alone` replaces the earlier ones. */
  audited(entries: string[], more?: { alone: boolean }): void;
  finish(result: Result): void;
  fail(failure: Failure): void;
}

/** A stream to write to; `process.stdout` is one. */
interface Sink {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export interface OutputSettings {
  json: boolean;
  no_color: boolean;
  stdout?: Sink;
  stderr?: Sink;
}

export function createOutput({
  json,
  no_color,
  stdout = process.stdout,
  stderr = process.stderr,
}: OutputSettings): Output {
  const mode: Mode = json ? 'json' : stdout.isTTY === true ? 'terminal' : 'plain';
  const people = mode !== 'json';
  const noticed: string[] = [];
  const notices: string[] = [];
  const audit: string[] = [];
  let redrawn: string | undefined;
  let isLineOpen = false;

  const toOut = (text: string): void => withoutProgress(() => stdout.write(text));
  const toErr = (text: string): void => withoutProgress(() => stderr.write(text));
  const onOut = (view: View): string => render(view, surfaceOf(stdout, no_color));
  const onErr = (view: View): string => render(view, surfaceOf(stderr, no_color));

  /** A streamed answer ends with its last piece; the next output begins on a new line. */
  function endOpenLine(): void {
    if (isLineOpen) stdout.write('\n');
    isLineOpen = false;
  }

  function withoutProgress(write: () => void): void {
    endOpenLine();
    if (redrawn === undefined) return write();
    stderr.write('\r\u001b[K');
    write();
    stderr.write(redrawn);
  }

  function closing(more: {
    next?: Next[] | undefined;
    person_must_act?: boolean | undefined;
    problem?: unknown;
  }): string {
    const { problem, next = [], person_must_act = false } = more;
    const about = { ...(notices.length === 0 ? {} : { notices }), ...(audit.length === 0 ? {} : { audit }) };
    return `${JSON.stringify({ ...(problem === undefined ? {} : { problem }), next, person_must_act, ...about })}\n`;
  }

  return {
    mode,
    show(view) {
      if (people) toOut(onOut(view));
    },
    note(...cells) {
      if (people) toErr(onErr([line(...cells)]));
    },
    notice(sentence, { at, severity = 'notice' } = {}) {
      // The service prefixes a repeated notice with the file.
      if (noticed.some((earlier) => sentence === earlier || sentence.endsWith(`: ${earlier}`))) return;
      noticed.push(sentence);
      const placed = at === undefined ? sentence : `${at}  ${sentence}`;
      if (people) toErr(onErr([line({ text: severity === 'warning' ? 'warning ' : 'note ', style: 'warn' }, placed)]));
      else notices.push(placed);
    },
    event(data) {
      if (!people) toOut(`${JSON.stringify(data)}\n`);
    },
    line(text) {
      toOut(`${text}\n`);
    },
    write(text) {
      if (!people || text === '') return;
      isLineOpen = false;
      toOut(sanitise(text.replaceAll('\r\n', '\n')));
      isLineOpen = !text.endsWith('\n');
    },
    progress(shown) {
      if (!people || stderr.isTTY !== true) return;
      // Without a drawn line, erasing would remove the end of a streamed answer.
      if (shown === undefined && redrawn === undefined) return;
      endOpenLine();
      redrawn = shown === undefined ? undefined : fitted(shown, stderr, no_color);
      stderr.write(`\r\u001b[K${redrawn ?? ''}`);
    },
    help(text) {
      toOut(text);
    },
    audited(entries, more) {
      if (more?.alone === true) audit.length = 0;
      audit.push(...entries);
    },
    finish(result) {
      if (!people) {
        if (result.data !== undefined) toOut(`${JSON.stringify(result.data)}\n`);
        stderr.write(closing(result));
        return;
      }
      toOut(onOut(result.view));
      toErr(onErr([...recorded(audit), ...afterwards(result.next ?? [], result.undo)]));
    },
    fail(failure) {
      if (!people) {
        stderr.write(closing({ ...failure, next: [...failure.next, ...failure.hinted] }));
        return;
      }
      toErr(onErr([line(bad('✗ '), failure.sentence), ...failure.view, ...afterwards(failure.next, undefined)]));
    },
  };
}

function recorded(audit: string[]): View {
  return audit.length === 0 ? [] : [line(faint('audit: '), audit.join(', '))];
}

function afterwards(next: Next[], undo: string | undefined): View {
  return [
    ...(undo === undefined ? [] : [whole(faint('undo: '), undo)]),
    ...next.map(({ command, when }) => whole(faint('next: '), command, faint(`  ${when}`))),
  ];
}

/** A reader that closes early (`svc audit | head`) ends the command without an error. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

function surfaceOf(sink: Sink, no_color: boolean): Surface {
  if (sink.isTTY !== true) return { colour: false, columns: undefined, now: undefined };
  return { colour: !no_color, columns: widthOfTerminal(sink), now: Date.now() };
}

/** One row at most: a wrapped line cannot be redrawn. */
function fitted(shown: Line, sink: Sink, no_color: boolean): string {
  const surface = surfaceOf(sink, no_color);
  const columns = widthOfTerminal(sink) - 1;
  const bare = renderLine(shown, { ...surface, colour: false });
  const cut = fit(bare, columns);
  return cut === bare ? renderLine(shown, surface) : cut;
}

/** A terminal of unknown width reports 0, or nothing. */
function widthOfTerminal({ columns }: Sink): number {
  return columns === undefined || columns === 0 ? 80 : columns;
}
