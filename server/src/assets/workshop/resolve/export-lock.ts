import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';
import { refuseIndexFailure } from '../package-index/index-failure.ts';
import type { RunLabel } from '../../docker/labels.ts';
import { parseLock, type LockedPackage } from './lock.ts';
import { teamCache } from '../package-cache.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { uvPath } from '../uv.ts';

// uv itself says what a uv.lock means for the base image: groups, overrides, forks and workspaces. It reads the lock and the texts of
// pyproject.toml, without a network and without the settings in them, and runs no code of the project. Then each version is looked up in
// the index of the service, so a lock that cannot be installed is refused before anybody approves it.

/** A uv.lock and the pyproject.toml of each folder that it covers. */
export interface ProjectLock {
  /** The path of uv.lock. */
  lock: string;
  folders: string[];
  /** Members of the workspace whose packages are installed; empty for the project beside the lock. */
  packages: string[];
  /** The texts, by path. */
  files: Record<string, string>;
}

const exported = z.object({
  packages: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      /** Another place than an index. */
      place: z.enum(['vcs', 'archive', 'directory']).nullable(),
      path: z.string().nullable(),
      hashes: z.array(z.string()),
      has_wheel: z.boolean(),
      has_source: z.boolean(),
    }),
  ),
  /** The packages whose locked version, or a wheel of it, is not in the index. */
  gone: z.array(z.string()),
  /** uv's lock of the versions in the index, with their hashes there. */
  index: z.string(),
  /** uv's text when the look-up failed for another reason. */
  failure: z.string(),
});

export type ExportedPackage = z.infer<typeof exported>['packages'][number];

export interface ExportedLock {
  /** Those for the base image's Python and platform. */
  packages: ExportedPackage[];
  gone: string[];
  /** The packages in the index, without those that have no wheel. */
  index: LockedPackage[];
}

/** Throws `project_invalid` for a lock that uv cannot read, and `index_unreachable`. */
export async function exportLock(
  sandboxes: Sandboxes,
  { project, team_id, ...input }: Exported,
): Promise<ExportedLock> {
  const cache = await teamCache(sandboxes, team_id, input.signal);
  const folder = project.lock.split('/').slice(0, -1).join('/');
  const chosen = project.packages.flatMap((name) => ['--package', name]);
  const result = await sandboxes.run({
    ...cache,
    command: ['python3', '/tmp/in/export-lock.py', `/tmp/in/project/${folder}`, ...chosen],
    files: {
      'export-lock.py': exportAndLookUp,
      ...Object.fromEntries(Object.entries(project.files).map(([path, text]) => [`project/${path}`, text])),
    },
    ...input,
  });
  if (result.exit_code !== 0) {
    throw new Problem('project_invalid', {
      detail: `${project.lock} cannot be read`,
      hint: 'Lock it again: uv lock',
      fields: { resolver: result.stderr.replaceAll('/tmp/in/project/', '').trim().slice(-8000) },
    });
  }
  // The script printed it, and no code of a package ran beside it.
  const { packages, gone, index, failure } = exported.parse(JSON.parse(result.stdout));
  if (failure !== '') {
    refuseIndexFailure(failure);
    throw new Problem('build_failed', {
      detail: `The packages of ${project.lock} cannot be looked up in the package index`,
      fields: { resolver: failure.slice(-8000) },
    });
  }
  return { packages, gone, index: parseLock(index) };
}

interface Exported {
  project: ProjectLock;
  team_id: string;
  run?: RunLabel | undefined;
  onLog?: ((line: string) => void) | undefined;
  signal: AbortSignal;
}

/** A person repairs so many at once. */
const most_gone = 20;

/** It imports only modules of Python and pip. The working directory of the look-up is outside the project. */
const exportAndLookUp = `
import json, os, re, subprocess, sys
from urllib.parse import unquote
from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.tags import sys_tags
from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
plain = {name: value for name, value in os.environ.items() if name != "UV_CONFIG_FILE"}
ended = subprocess.run([
    "${uvPath}", "export", "--quiet", "--frozen", "--offline", "--no-config", "--no-dev", "--no-emit-workspace", "--no-header",
    "--python", "python3", "--format", "pylock.toml", *sys.argv[2:],
], cwd=sys.argv[1], env=plain, stdout=subprocess.PIPE)
if ended.returncode != 0:
    sys.exit(ended.returncode)
fitting = set(sys_tags())
def fits(wheel):
    name = unquote(wheel.get("name") or wheel["url"].rsplit("/", 1)[1])
    return not fitting.isdisjoint(parse_wheel_filename(name)[3])
def hashes(one):
    files = [*one.get("wheels", []), *([one["sdist"]] if "sdist" in one else [])]
    return sorted({kind + ":" + value for file in files for kind, value in file.get("hashes", {}).items()})
packages = []
for one in tomllib.loads(ended.stdout.decode()).get("packages", []):
    if "marker" in one and not Marker(one["marker"]).evaluate({"extra": ""}):
        continue
    packages.append({
        "name": canonicalize_name(one["name"]),
        "version": one.get("version", ""),
        "place": next((place for place in ("vcs", "archive", "directory") if place in one), None),
        "path": one.get("directory", {}).get("path"),
        "hashes": hashes(one),
        "has_wheel": any(map(fits, one.get("wheels", []))),
        "has_source": "sdist" in one,
    })
wanted = {one["name"]: one["version"] for one in packages if one["place"] is None and one["has_wheel"]}
gone, index, failure = [], "", ""
while True:
    with open("/tmp/pins.in", "w") as file:
        file.writelines(name + "==" + version + "\\n" for name, version in wanted.items())
    ended = subprocess.run([
        "${uvPath}", "pip", "compile", "--quiet", "--no-deps", "--only-binary", ":all:", "--generate-hashes", "--no-header", "--no-annotate",
        "--no-sources", "/tmp/pins.in",
    ], cwd="/tmp", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = " ".join(ended.stderr.decode().split())
    index = ended.stdout.decode()
    if ended.returncode == 0:
        break
    found = re.search(r"there is no version of ([^\\s=]+)==|Because ([^\\s=]+) was not found in the package|Because ([^\\s=]+)(?:==\\S+)? has no usable wheels", text)
    name = found and next(filter(None, found.groups()))
    if name not in wanted or len(gone) == ${most_gone}:
        failure, index = ("" if gone and name in wanted else text), ""
        break
    gone.append(name)
    del wanted[name]
print(json.dumps({"packages": packages, "gone": gone, "index": index, "failure": failure}))
`;
