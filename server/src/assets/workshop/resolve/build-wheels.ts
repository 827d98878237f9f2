import { Problem } from '@gantry/contract/problems.ts';
import { normaliseName } from '@gantry/project/requirements.ts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseLock, printLock } from './lock.ts';

// A source distribution is built once, when its lock is made, and the lock includes the wheel's hash. So the approval covers the bytes
// of that wheel, and every build of the version installs them. Later changes of its build dependencies have no effect.

export interface BuiltWheels {
  /** The lock, with each wheel's hash after the hashes of its source. */
  lock: string;
  built_from_source: string[];
  /** By file name. */
  wheels: Map<string, Uint8Array>;
}

/** The limit of all wheels together. They are printed as text, and stored in the database with the files. */
const limit_bytes = 10_000_000;

const exitCodes = { not_built: 70, too_large: 71 } as const;

const separator = '\n----- wheels -----\n';

/** Resolves with the given command, then builds the packages without a fitting wheel. Package code gets only a throw-away cache. */
export const compileAndBuild = `
set -e
"$@" > /tmp/requirements.lock
"$@" --quiet --format pylock.toml > /tmp/pylock.toml
cat /tmp/requirements.lock
printf '%s' '${separator}'
exec python3 /tmp/in/build-wheels.py
`;

/** Builds the packages of the given lock, which all have no fitting wheel. */
export const buildLocked = `
set -e
cp /tmp/in/requirements.lock /tmp/requirements.lock
cp /tmp/in/sources.toml /tmp/pylock.toml
cat /tmp/requirements.lock
printf '%s' '${separator}'
exec python3 /tmp/in/build-wheels.py
`;

/** Names and builds the packages without a wheel for this interpreter. It imports only modules of Python and pip. */
export const buildWheels = `
import base64, json, os, re, subprocess, sys
from pip._vendor.packaging.tags import sys_tags
from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
fitting = set(sys_tags())
def fits(wheel):
    name = wheel.get("name") or wheel["url"].rsplit("/", 1)[1]
    return not fitting.isdisjoint(parse_wheel_filename(name)[3])
with open("/tmp/pylock.toml", "rb") as file:
    packages = tomllib.load(file)["packages"]
names = [package["name"] for package in packages if not any(map(fits, package.get("wheels", [])))]
with open("/tmp/requirements.lock") as file:
    lines = re.sub(r"\\\\\\n\\s*", "", file.read()).splitlines()
folder = os.path.join(os.environ["UV_CACHE_DIR"], "built")
os.environ["TMPDIR"] = os.environ["UV_CACHE_DIR"]
built = []
for name in names:
    [line] = [line for line in lines if canonicalize_name(line.split("==")[0]) == canonicalize_name(name)]
    print("Building " + line.split(" ")[0] + " from source: the package index has no fitting wheel", file=sys.stderr, flush=True)
    with open("/tmp/one.lock", "w") as file:
        file.write(line + "\\n")
    target = os.path.join(folder, name)
    ended = subprocess.run([
        "python3", "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps", "--use-pep517",
        "--require-hashes", "--wheel-dir", target, "-r", "/tmp/one.lock",
    ])
    if ended.returncode != 0:
        print("gantry: not built: " + line.split(" ")[0], file=sys.stderr)
        sys.exit(${exitCodes.not_built})
    [file] = os.listdir(target)
    with open(os.path.join(target, file), "rb") as opened:
        built.append({"name": name, "file": file, "bytes": opened.read()})
if sum(len(wheel["bytes"]) for wheel in built) > ${limit_bytes}:
    sys.exit(${exitCodes.too_large})
print(json.dumps([{**wheel, "bytes": base64.b64encode(wheel["bytes"]).decode()} for wheel in built]))
`;
import { jsonIn } from '../../../ground/json-in.ts';

// Code of a built package may have written to the same output, so the output is hostile input.
const printed = z.array(
  z.object({
    name: z.string(),
    file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._!+-]*\.whl$/),
    bytes: z.base64(),
  }),
);

/** Reads the output of the script. Throws `build_failed` for an invalid output, and `project_invalid` for an invalid lock. */
export function readBuiltWheels(stdout: string): BuiltWheels {
  const [lock = '', json = ''] = stdout.split(separator);
  const found = printed.safeParse(jsonIn(json));
  if (!found.success)
    throw new Problem('build_failed', { detail: 'The build of the source distributions gave no readable result' });
  const built = found.data.map((wheel) => ({ ...wheel, bytes: Buffer.from(wheel.bytes, 'base64') }));
  const packages = parseLock(lock).map((locked) => {
    const wheel = built.find(({ name }) => normaliseName(name) === normaliseName(locked.name));
    return wheel === undefined ? locked : { ...locked, hashes: [...locked.hashes, hashOf(wheel.bytes)] };
  });
  return {
    lock: printLock(packages),
    built_from_source: built.map(({ name }) => name),
    wheels: new Map(built.map(({ file, bytes }) => [file, bytes])),
  };
}

/** Throws the refusal with the name of the source distribution that ended the script. Ignores every other failure. */
export function refuseNotBuilt({ exit_code, stderr }: { exit_code: number; stderr: string }): void {
  if (exit_code === exitCodes.too_large)
    throw new Problem('disk_limit', {
      detail: `The wheels built from source are larger than ${limit_bytes / 1e6} MB`,
      hint: 'Choose versions that have a wheel on the package index.',
    });
  const named =
    /gantry: not built: (\S+)/.exec(stderr)?.[1] ?? /Failed to (?:download and )?build `([^`]+)`/.exec(stderr)?.[1];
  if (named === undefined) return;
  throw new Problem('build_failed', {
    detail: `${named} has no wheel on the package index and cannot be built from source`,
    hint: `Choose a version of ${named.split('==')[0]} that has a wheel.`,
    fields: { output: stderr.trim().slice(-8000) },
  });
}

function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
