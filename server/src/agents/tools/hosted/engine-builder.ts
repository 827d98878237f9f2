// Builds the images of hosted servers in the sandboxes of the workshop, as those of agents. One build at a time in a process.
import { printHostedPackage, type HostedPackage } from '@gantry/project/hosted-package.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { findImage } from '../../../assets/docker/base-image.ts';
import type { Engine } from '../../../assets/docker/client.ts';
import { ensureDependencyImage } from '../../../assets/images/dependency-image.ts';
import { ensureNpmImage, lockNpm, node_requirement } from '../../../assets/images/npm-packages.ts';
import { buildToolImage } from '../../../assets/images/tool-image.ts';
import type { Pythons } from '../../../assets/workshop/pythons/pythons.ts';
import type { Sandboxes } from '../../../assets/workshop/sandboxes.ts';
import { resolveRequirements } from '../../../assets/workshop/resolve/resolve.ts';
import type { Builder } from '../../deploy/build/build-image.ts';
import type { HostedBuilder, HostedLock } from './plugs.ts';

interface Parts {
  engine: Engine;
  pythons: Pick<Pythons, 'sandboxes'>;
  /** No image is removed during a build. */
  images: Pick<Builder, 'hold'>;
}

export function engineBuilder({ engine, pythons, images }: Parts): HostedBuilder {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(async () => await images.hold(work));
    last = turn.catch(() => undefined); // Whoever asked has the error.
    return await turn;
  };
  return {
    baseImage: async () => (await pythons.sandboxes()).base.pin,
    lock: async (hosted, o) =>
      await inTurn(async () => {
        const sandboxes = await pythons.sandboxes();
        const { lock, python_version, built_from_source } = await resolveRequirements(sandboxes, {
          ...o,
          requirements: [{ line: requirementOf(hosted), source: 'package' }],
          platform_requirements: [],
        });
        if (built_from_source.length > 0) throw withoutWheels(hosted, built_from_source);
        const made = { base_image: sandboxes.base.pin, python: python_version, lock };
        if (hosted.index === 'pypi') return { ...made, npm_lock: null };
        const { tag: node_image } = await installPython(sandboxes, made, o);
        return { ...made, npm_lock: await lockNpm(sandboxes, { ...hosted, node_image, signal: o.signal }) };
      }),
    build: async (hosted, lock, o) =>
      await inTurn(async () => {
        const sandboxes = await pythons.sandboxes();
        const { tag, installed } = await installPython(sandboxes, lock, o);
        const { npm_lock } = lock;
        const npm =
          npm_lock === null ? undefined : await ensureNpmImage(sandboxes, { npm_lock, node_image: tag, ...o });
        const digest = await buildToolImage(engine, {
          packages_image: npm?.tag ?? tag,
          package: printHostedPackage(hosted),
          signal: o.signal,
        });
        return { digest, components: [...installed, ...(npm?.installed ?? [])] };
      }),
    has: async (digest, signal) => (await findImage(engine, digest, signal)) !== undefined,
  };
}

async function installPython(
  sandboxes: Sandboxes,
  { lock, python }: Pick<HostedLock, 'lock' | 'python'>,
  o: { team_id: string; signal: AbortSignal },
) {
  const packages = { lock, python_version: python, wheels: new Map(), wrapper_lock: '' };
  return await ensureDependencyImage(sandboxes, { ...packages, ...o });
}

/** A package of npm needs node. */
function requirementOf({ index, name, version }: HostedPackage): string {
  return index === 'npm' ? node_requirement : `${name}==${version}`;
}

function withoutWheels(hosted: HostedPackage, names: readonly string[]): Problem {
  return new Problem('not_callable', {
    detail: `${printHostedPackage(hosted)} needs packages without a wheel: ${names.join(', ')}. A hosted server is installed from wheels.`,
    hint: 'Take a version whose packages have wheels, or run the server elsewhere and give its `url`.',
  });
}
