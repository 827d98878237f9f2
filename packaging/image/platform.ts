/** The platforms of the image, and what Debian and npm call them. */
export const platforms = {
  'linux/amd64': { architecture: 'amd64', debian: 'amd64', npm: 'x64' },
  'linux/arm64': { architecture: 'arm64', debian: 'arm64', npm: 'arm64' },
} as const;

export type PlatformName = keyof typeof platforms;
export type Platform = (typeof platforms)[PlatformName];

export const isPlatform = (name: string): name is PlatformName => Object.hasOwn(platforms, name);

/** A part of the image, for its bill of materials. */
export interface Part {
  purl: string;
  name: string;
  version: string;
  hash: { alg: 'SHA-256' | 'SHA-512'; content: string };
}
