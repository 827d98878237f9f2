// `entrypoint` of agent.yaml: the file and the name of the agent, `src/my_agent/graph.py:graph`, as langgraph.json writes it.

export interface Entrypoint {
  /** Relative to the project, with slashes and without `./`. */
  file: string;
  name: string;
}

export const entrypointRule = 'must be <path>.py:<name> inside the project, such as src/my_agent/graph.py:graph';

/** Undefined for a path outside the project, without the ending `.py`, or without a Python name. */
export function parseEntrypoint(text: string): Entrypoint | undefined {
  const [, file, name] = /^(?:\.\/)?([^:]+\.py):([\p{L}_][\p{L}\p{N}_]{0,127})$/u.exec(text) ?? [];
  if (file === undefined || name === undefined || file.length > max_path_length) return undefined;
  const isPlain = file.split('/').every((segment) => /^[\p{L}\p{N}_.-]+$/u.test(segment) && !/^\.{1,2}$/.test(segment));
  return isPlain ? { file, name } : undefined;
}

export const printEntrypoint = ({ file, name }: Entrypoint): string => `${file}:${name}`;

const max_path_length = 255;
