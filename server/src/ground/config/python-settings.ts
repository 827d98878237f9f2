// The settings of base images and of their Pythons, as a part of config.ts.
import { z } from 'zod';
import { list } from './list-setting.ts';

const publicImage = (python: string): string => `python:${python}-slim-bookworm`;
const pythons = ['3.10', '3.11', '3.12', '3.13', '3.14'];
const baseImagePattern = /^3\.\d{1,2}=\S+$/;

export const pythonSettings = {
  BASE_IMAGE: z
    .string()
    .default(publicImage('3.12'))
    .describe('the base image of agents. An approval covers its content'),
  BASE_IMAGES: list
    .refine((entries) => entries.every((entry) => baseImagePattern.test(entry)), 'must be entries such as 3.13=<image>')
    .describe(
      'your own base images for projects that need another Python, separated by commas: 3.13=<image>. Default: none; BUILD_PYTHONS decides about versions without one',
    ),
  BUILD_PYTHONS: z
    .enum(['obtain', 'refuse'])
    .default('obtain')
    .describe(
      `whether the first push that needs another Python of ${pythons.join(', ')} obtains it: its public image, else one from BUILD_PYTHON_MIRROR, else one of Debian's packages`,
    ),
  BUILD_PYTHON_MIRROR: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).username === '', 'must have no credentials')
    .optional()
    .describe(
      'a mirror of the Pythons that uv installs, as for UV_PYTHON_INSTALL_MIRROR. Builds may read from its host. Default: none',
    ),
};

export interface PythonsConfig {
  base_image: string;
  /** Base images beside `base_image`, by minor version of Python. */
  base_images: Readonly<Record<string, string>>;
  /** The public image of each version of Python that agents run on. */
  published_pythons: Readonly<Record<string, string>>;
}

type Given = Pick<z.output<z.ZodObject<typeof pythonSettings>>, 'BASE_IMAGE' | 'BASE_IMAGES'>;

export function pythonsConfig({ BASE_IMAGE, BASE_IMAGES }: Given): PythonsConfig {
  return {
    base_image: BASE_IMAGE,
    base_images: Object.fromEntries(BASE_IMAGES.map(splitEntry)),
    published_pythons: Object.fromEntries(pythons.map((python) => [python, publicImage(python)])),
  };
}

function splitEntry(entry: string): [string, string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}
