// The image of a hosted MCP server: its packages, and a config of the service. No program runs. The same content gives the same id.
import { createHash } from 'node:crypto';
import { ask, type Engine } from '../docker/client.ts';
import { label, labelsFor } from '../docker/labels.ts';
import { sandbox_user } from '../workshop/sandbox.ts';
import { writeConfig } from './image-config.ts';
import { writeLayer } from './layer.ts';
import { loadImage } from './load-image.ts';

export interface ToolImageInput {
  /** The tag of the image with the packages. It is a hash of the image's content. */
  packages_image: string;
  /** `pypi:mcp-server-time==2026.10.19` */
  package: string;
  signal: AbortSignal;
}

/** Returns the id, `sha256:…`. Throws `build_failed` when the engine cannot load the image. */
export async function buildToolImage(
  engine: Engine,
  { packages_image, package: hosted, signal }: ToolImageInput,
): Promise<string> {
  const content = [engine.installation_id, packages_image, hosted];
  const name = `svc-tool:${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`;
  const below = await ask(engine.docker.getImage(packages_image).inspect(), { signal });
  const layer = writeLayer([{ folder: 'opt/svc', files: new Map([['package', Buffer.from(`${hosted}\n`)]]) }]);
  const config = writeConfig(below, {
    env: { PATH: '/opt/venv/bin:/usr/local/bin:/usr/bin:/bin', PYTHONUNBUFFERED: '1' },
    user: `${sandbox_user}:${sandbox_user}`,
    workdir: '/tmp',
    // The service gives the command, because it hands the secrets over.
    cmd: ['/bin/false'],
    labels: { ...labelsFor(engine, 'app'), [label.dependencies]: packages_image },
    diff_ids: [layer.diff_id],
    contents: `the name of ${hosted}`,
  });
  return await loadImage(engine, { config, below, layers: [layer], name, signal });
}
