import { Problem } from '@gantry/contract/problems.ts';
import type { Image } from './base-image.ts';
import type { Engine } from './client.ts';
import { runInSandbox, type SandboxLimits } from './sandbox.ts';

export interface BaseFacts {
  python_version: string;
  /** Where pip of this image goes when nobody tells it where: the index, and the host that serves the files. */
  index_url: string;
  file_host: string;
}

const question = `
import json, platform
from pip._internal.models.index import PyPI
print(json.dumps({"python_version": platform.python_version(), "index_url": PyPI.simple_url, "file_host": PyPI.file_storage_domain}))
`;

/** Asks the base image for its interpreter and its package index, so that no index is a constant here. Throws `base_image_missing`. */
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
  // The text is printed by the few lines above.
  return JSON.parse(stdout) as BaseFacts;
}
