import { projectLimits } from '@gantry/project/agent-project/limits.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { packTar } from 'modern-tar';

const epoch = new Date(0);

/** The project as a gzipped tar, as `svc deploy` packs it: sorted, without times and owners. */
export async function pack(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array> {
  const tar = await packTar(
    [...files].map(([name, body]) => ({
      header: { name, size: body.length, mode: 0o644, mtime: epoch, uid: 0, gid: 0, type: 'file' as const },
      body,
    })),
  );
  const zipped = new Blob([tar]).stream().pipeThrough(new CompressionStream('gzip'));
  const packed = new Uint8Array(await new Response(zipped).arrayBuffer());
  if (packed.length > projectLimits.packed_bytes)
    throw new Problem('archive_too_large', {
      detail: `The packed project has ${packed.length} bytes; at most ${projectLimits.packed_bytes} are accepted.`,
      hint: 'Leave data and models out of the project; an agent fetches them or finds them in a knowledge base.',
    });
  return packed;
}
