import { Problem } from '@gantry/contract/problems.ts';
import type { Image } from '../../docker/base-image.ts';
import type { Engine } from '../../docker/client.ts';
import { runInSandbox, type SandboxLimits } from '../sandbox.ts';

export interface BaseFacts {
  python_version: string;
  /** The default hosts of pip in this image: the index, and the host of the files. */
  index_url: string;
  file_host: string;
  /** The release `bookworm` and its mirror in the image's apt. Null for an image of another system. */
  debian: { release: string; mirror: string } | null;
}

const question = `
import json, platform, re, subprocess
from pip._internal.models.index import PyPI

def debian():
    try:
        release = platform.freedesktop_os_release()
        if release["ID"] != "debian":
            return None
        uris = subprocess.run(["apt-get", "update", "--print-uris"], capture_output=True, text=True).stdout
    except (OSError, KeyError):
        return None
    name = release["VERSION_CODENAME"]
    found = re.search(r"^'(https?://[^']+)/dists/%s/InRelease'" % re.escape(name), uris, re.MULTILINE)
    return found and {"release": name, "mirror": found[1]}

print(json.dumps({
    "python_version": platform.python_version(),
    "index_url": PyPI.simple_url,
    "file_host": PyPI.file_storage_domain,
    "debian": debian(),
}))
`;

/** Reads the interpreter, the package index and the mirror of Debian from the base image, so the code names none. Throws `base_image_missing`. */
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
