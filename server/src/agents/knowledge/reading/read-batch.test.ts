// What a file can do at most, with the real engine: one that takes too much, and one that has taken over the program that reads it.
import { setTimeout as delay } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../../../testing/config.ts';
import { docx } from '../../../testing/knowledge/office-files.ts';
import { fileToRead, readerStage, type ReaderStage } from '../../../testing/knowledge/reader-stage.ts';
import { sweepSandboxes } from '../../../assets/workshop/sandbox.ts';
import { readBatch, type KnownFile, type ReaderProgram } from './read-batch.ts';

let stage: ReaderStage;
let program: ReaderProgram;
beforeAll(async () => {
  stage = await readerStage();
  program = await stage.program();
}, 300_000);
afterAll(async () => await stage?.close(), 60_000);

const signal = AbortSignal.timeout(600_000);
const known = (kind: string, content: string | Uint8Array): KnownFile => ({ ...fileToRead(kind, content), kind });
const good = known('csv', 'good');
const is_read = { read: { text: '| good |\n| --- |' } };

test('a file over its limit of time or memory ends itself alone', async () => {
  const many = known(
    'docx',
    docx(
      Array.from({ length: 1_000_000 }, () => ['', 'a']),
      { compress: true },
    ),
  );
  const short = { ...program, limits: { seconds: 2, memory_bytes: 768 * 1024 ** 2 } };
  expect(await readBatch(short, [good, many, good], signal)).toEqual([
    is_read,
    { problem: 'it takes longer than 2 s to read' },
    is_read,
  ]);
  // Python has four bytes for each character of a text with an emoji.
  const wide = known('csv', `\u{1f600}${'x'.repeat(49_000_000)}`);
  const page = known('html', '<p>a'.repeat(10_000_000));
  const small = { ...program, limits: { seconds: 100, memory_bytes: 400 * 1024 ** 2 } };
  const problem = 'it takes more than 400 MB of memory to read';
  expect(await readBatch(small, [good, wide, page, good], signal)).toEqual([
    is_read,
    { problem },
    { problem },
    is_read,
  ]);
}, 300_000);

// In place of a library that a file has taken over.
const taken_over = `
import json, os, signal, socket
def tried(work):
    try:
        return work()
    except OSError as error:
        return type(error).__name__
def read_xlsx(file, markdown): ...
def read_csv(file, markdown):
    order = file.read().decode()
    parent = os.getppid()
    if order == "kill":
        os.kill(parent, signal.SIGKILL)
    if order == "forge":
        os.write(1, b"0 done e30K\\n")
        for number in range(3, 64):
            tried(lambda: os.write(number, b"0 done e30K\\n"))
    if order == "stay" and os.fork() == 0:
        open("/tmp/json.py", "w").write("raise SystemExit(9)")
        signal.pause()
    if order != "look":
        markdown.add(order)
        return
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    markdown.add(json.dumps({
        "others": len(set(numbers) - {1, parent, os.getpid()}),
        "inputs": tried(lambda: os.listdir("/tmp/in")),
        "open": len([n for n in range(64) if tried(lambda: os.fstat(n)) not in ("OSError",)]),
        "memory": tried(lambda: open(f"/proc/{parent}/mem", "rb").read(1) and "read"),
        "files": tried(lambda: os.listdir(f"/proc/{parent}/fd")),
        "network": [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]],
        "dial": tried(lambda: socket.create_connection(("1.1.1.1", 53), 1) and "open"),
        "root": tried(lambda: open("/opt/x", "w") and "written"),
        "user": os.getuid(),
    }))
`;

test('a file that has taken over its reader sees no other file, reaches nothing, and answers for itself alone', async () => {
  const files = new Map([...program.files, ['sheets.py', Buffer.from(taken_over)]]);
  const orders = ['first', 'forge', 'stay', 'look', 'kill', 'last'];
  let left = orders.map((order) => known('csv', order));
  const answers = [];
  while (left.length > 0) {
    const some = await readBatch({ ...program, files }, left, signal);
    answers.push(...some);
    left = left.slice(some.length);
  }
  const texts = answers.map((one) => ('read' in one ? one.read.text : one.problem));
  expect(texts.with(3, '')).toEqual([
    'first',
    expect.any(String),
    'stay',
    '',
    'the program that reads it crashed',
    'last',
  ]);
  expect(JSON.parse(texts[3] ?? '')).toEqual({
    others: 0,
    inputs: 'FileNotFoundError',
    // Three to nowhere, and its answer.
    open: 4,
    memory: 'PermissionError',
    files: 'PermissionError',
    network: ['lo'],
    dial: expect.stringMatching(/Error$/) as string,
    root: 'OSError',
    user: 10_001,
  });
}, 300_000);

test('a reader that does not start is a fault of the service, not of the files', async () => {
  const files = new Map([...program.files, ['sheets.py', Buffer.from('raise RuntimeError("no such library")')]]);
  await expect(readBatch({ ...program, files }, [good], signal)).rejects.toThrow(/does not start.*no such library/s);
});

test('a service that is killed while it reads leaves a container, which the next start removes', async () => {
  const settings = {
    installation_id: program.engine.installation_id,
    docker_host: testConfig().engine_host,
    image: program.image,
  };
  const killed = spawn(process.execPath, [
    join(import.meta.dirname, '../../../testing/killed/reading-worker.ts'),
    JSON.stringify(settings),
  ]);
  const states = async () => (await stage.containers()).map(({ State }) => State);
  await expect.poll(states, { timeout: 120_000 }).toEqual(['running']);
  killed.kill('SIGKILL');
  await delay(500);
  expect(await states()).toHaveLength(1);
  await sweepSandboxes(program.engine);
  expect(await states()).toEqual([]);
}, 200_000);
