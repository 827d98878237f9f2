// Archives for tests, entry by entry, with contents that no packer would write.
import { gzipSync } from 'node:zlib';
import { Header, type HeaderData } from 'tar';

export interface TestEntry extends Omit<HeaderData, 'size'> {
  content?: string | Uint8Array;
  /** The size in the header, where it is false. */
  size?: number;
}

export function tarOf(entries: readonly TestEntry[]): Buffer {
  const blocks = entries.flatMap(({ content = '', ...header }) => {
    const bytes = Buffer.from(content);
    const block = Buffer.alloc(512);
    new Header({ type: 'File', mode: 0o644, mtime: new Date(0), size: bytes.length, ...header }).encode(block);
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export function archiveOf(entries: readonly TestEntry[]): ReadableStream<Uint8Array> {
  return streamOf(gzipSync(tarOf(entries)));
}

export function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** The smallest langgraph project; `yaml` is added to its agent.yaml, `files` to or over its files. */
export function projectOf({
  name = 'greeter',
  version = '1.0.0',
  team = 'ml',
  yaml = '',
  files = {},
}: TestProject = {}): ReadableStream<Uint8Array> {
  const base: Record<string, string> = {
    'agent.yaml': `name: ${name}\nversion: ${version}\nteam: ${team}\nframework: langgraph\n${yaml}`,
    'agent.py': 'from langgraph.graph import StateGraph\n\ngraph = StateGraph(dict).compile()\n',
    'requirements.txt': 'langgraph>=0.2.0\n',
  };
  return archiveOf(Object.entries({ ...base, ...files }).map(([path, content]) => ({ path, content })));
}

export interface TestSkill {
  name?: string;
  description?: string;
  /** More lines of its front matter. */
  front?: string;
  /** The instructions. */
  text?: string;
  files?: Record<string, string>;
}

export function skillFiles({
  name = 'courtesy',
  description = 'Greets people well. Use it before each greeting.',
  front = '',
  text = '# Courtesy\n\nSay the name first.\n',
  files = {},
}: TestSkill = {}): Record<string, string> {
  return { 'SKILL.md': `---\nname: ${name}\ndescription: ${description}\n${front}---\n${text}`, ...files };
}

export function skillOf(skill: TestSkill = {}): ReadableStream<Uint8Array> {
  return archiveOf(Object.entries(skillFiles(skill)).map(([path, content]) => ({ path, content })));
}

export interface TestProject {
  name?: string;
  version?: string;
  team?: string;
  yaml?: string;
  files?: Record<string, string>;
}
