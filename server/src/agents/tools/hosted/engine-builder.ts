// Builds the images of hosted servers in the sandboxes of the workshop, as those of agents. One build at a time in a process.
import { printHostedPackage, type HostedPackage } from '@gantry/project/hosted-package.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { findImage } from '../../../assets/docker/base-image.ts';
import type { Engine } from '../../../assets/docker/client.ts';
import { ensureDependencyImage } from '../../../assets/images/dependency-image.ts';
import { buildToolImage } from '../../../assets/images/tool-image.ts';
import type { Pythons } from '../../../assets/workshop/pythons/pythons.ts';
import { resolveRequirements } from '../../../assets/workshop/resolve/resolve.ts';
import type { Builder } from '../../deploy/build/build-image.ts';
import type { HostedBuilder } from './plugs.ts';

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
        return { base_image: sandboxes.base.pin, python: python_version, lock, npm_lock: null };
      }),
    build: async (hosted, { lock, python }, { team_id, signal }) =>
      await inTurn(async () => {
        const sandboxes = await pythons.sandboxes();
        const { tag, installed } = await ensureDependencyImage(sandboxes, {
          team_id,
          lock,
          python_version: python,
          wheels: new Map(),
          wrapper_lock: '',
          signal,
        });
        const digest = await buildToolImage(engine, {
          packages_image: tag,
          package: printHostedPackage(hosted),
          signal,
        });
        return { digest, components: installed };
      }),
    has: async (digest, signal) => (await findImage(engine, digest, signal)) !== undefined,
  };
}

function requirementOf({ index, name, version }: HostedPackage): string {
  if (index === 'npm')
    throw new Problem('not_callable', {
      detail: 'Packages of npm are not hosted.',
      hint: 'Take a package of PyPI: `package: pypi:<name>==<version>`, or run the server elsewhere and give its `url`.',
    });
  return `${name}==${version}`;
}

function withoutWheels(hosted: HostedPackage, names: readonly string[]): Problem {
  return new Problem('not_callable', {
    detail: `${printHostedPackage(hosted)} needs packages without a wheel: ${names.join(', ')}. A hosted server is installed from wheels.`,
    hint: 'Take a version whose packages have wheels, or run the server elsewhere and give its `url`.',
  });
}
