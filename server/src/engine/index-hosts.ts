import { Problem } from '@gantry/contract/problems.ts';
import type { Image } from './base-image.ts';
import type { Engine } from './client.ts';
import { runInSandbox, type SandboxLimits } from './sandbox.ts';

export interface BaseFacts {
  python_version: string;
  /** The default hosts of pip in this image: the index, and the host of the files. */
  index_url: string;
  file_host: string;
}

const question = `
import json, platform
from pip._internal.models.index import PyPI
print(json.dumps({"python_version": platform.python_version(), "index_url": PyPI.simple_url, "file_host": PyPI.file_storage_domain}))
`;

/** Reads the interpreter and the package index from the base image, so the code has no constant index. Throws `base_image_missing`. */
export async function readBaseFacts(
  engine: Engine,
  base: Image,
  { limits, signal }: { limits: SandboxLimits; signal: AbortSignal },
): Promise<BaseFacts> {
  const { exit_code, stdout, stderr } = await runInSandbox(engine, {
    image: base.id,
    command: ['python3', '-c', question],
    limits,
    signal,
  });
  if (exit_code !== 0) {
    throw new Problem('base_image_missing', {
      detail: 'The base image has no usable python3 with pip',
      hint: 'Set BASE_IMAGE to an image with Python and pip.',
      fields: { output: stderr.slice(-4000) },
    });
  }
  // The script above printed the text.
  return JSON.parse(stdout) as BaseFacts;
}
