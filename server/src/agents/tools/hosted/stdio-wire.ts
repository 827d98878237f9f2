// The protocol over the standard streams of a program: one message a line (MCP, stdio transport). What the program prints is hostile input. Must never
// happen: a line or a stream of lines that fills the memory, or other text on stdout that breaks a call.
import { deserializeMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { Program } from './plugs.ts';

const most_line_bytes = 4 * 1024 * 1024;
/** Between two messages to the program. */
const most_bytes = 8 * 1024 * 1024;
/** Of lines that are no messages, in all. */
const most_other_bytes = 256 * 1024;
const most_stderr_bytes = 64 * 1024;
const kept_stderr = 4000;

export interface StdioWire extends Transport {
  /** Undefined while it is open. */
  whyClosed(): Promise<string> | undefined;
  /** The end of what the program wrote to stderr. */
  stderr(): string;
}

/** `onStderr` gets at most 64 kB in all. */
export function stdioWire(program: Program, onStderr: (text: string) => void): StdioWire {
  let closed: Promise<string> | undefined;
  let stderr = '';
  let stderr_bytes = 0;
  let bytes_since_sent = 0;
  let other_bytes = 0;
  let pieces: Buffer[] = [];
  let line_bytes = 0;

  const close = (why: () => Promise<string>) => {
    if (closed !== undefined) return;
    closed = why();
    closed.catch(() => undefined); // Whoever asks has the error.
    program.close();
    wire.onclose?.();
  };
  const takeStderr = (bytes: Buffer) => {
    const text = bytes.subarray(0, Math.max(0, most_stderr_bytes - stderr_bytes)).toString();
    stderr = (stderr + bytes.toString()).slice(-kept_stderr);
    stderr_bytes += bytes.length;
    if (text !== '') onStderr(text);
  };
  const takeLine = (line: Buffer) => {
    const text = line.toString().trim();
    if (text === '') return;
    let message;
    try {
      message = deserializeMessage(text);
    } catch {
      other_bytes += line.length;
      if (other_bytes > most_other_bytes) throw new Error('it prints text that is not of the protocol');
      return;
    }
    wire.onmessage?.(message);
  };
  const takeStdout = (bytes: Buffer) => {
    bytes_since_sent += bytes.length;
    if (bytes_since_sent > most_bytes) throw new Error(`it prints more than ${most_bytes} bytes for one message`);
    let rest = bytes;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      const line = Buffer.concat([...pieces, rest.subarray(0, end)]);
      [pieces, line_bytes] = [[], 0];
      rest = rest.subarray(end + 1);
      takeLine(line);
    }
    pieces.push(rest);
    line_bytes += rest.length;
    if (line_bytes > most_line_bytes) throw new Error(`it prints a line of more than ${most_line_bytes} bytes`);
  };
  const read = async () => {
    try {
      for await (const { from, bytes } of program.output) {
        if (closed !== undefined) return;
        if (from === 'stderr') takeStderr(bytes);
        else takeStdout(bytes);
      }
      close(async () => await program.whyEnded());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      close(async () => await Promise.resolve(why));
    }
  };

  const wire: StdioWire = {
    start: async () => {
      void read();
      await Promise.resolve();
    },
    send: async (message) => {
      if (closed !== undefined) throw new Error('the program has ended');
      bytes_since_sent = 0;
      program.write(serializeMessage(message));
      await Promise.resolve();
    },
    close: async () => {
      close(async () => await Promise.resolve('the service has ended it'));
      await Promise.resolve();
    },
    whyClosed: () => closed,
    stderr: () => stderr,
  };
  return wire;
}

const newline = 0x0a;
