import { Problem } from '@gantry/contract/problems.ts';
import type { Readable } from 'node:stream';
import { ask, type Engine } from '../../docker/client.ts';
import { labelsFor } from '../../docker/labels.ts';
import type { Making } from './obtain-python.ts';
import type { Sandboxes } from '../sandboxes.ts';

/** The Python of each release of Debian. The wrapper does not run on those of older releases. */
const releases: Readonly<Record<string, string>> = { '3.11': 'bookworm', '3.13': 'trixie' };

const folder = '/opt/made';
const import_seconds = 300;

/**
 * Makes an image from the packages of Debian's release with this Python. apt in a sandbox of the base image downloads them and verifies
 * their signatures. They are unpacked, and no script of a package runs.
 */
export async function makeDebianPython(sandboxes: Sandboxes, { python, say, signal }: Making): Promise<string> {
  const { engine, facts } = sandboxes;
  const release = releases[python];
  if (release === undefined) throw impossible(`no release of Debian that the service knows has Python ${python}`);
  if (facts.debian === null) throw impossible('the base image has no apt of Debian, which would make one');
  say(`making an image from the packages of Debian ${release}`);
  let id = '';
  const { exit_code, stderr } = await sandboxes.run({
    command: ['/bin/sh', '-c', unpack, 'unpack', release, facts.debian.mirror, python],
    writable_directories: [folder],
    onLog: (line) => {
      if (line.startsWith('Fetched')) say(line);
    },
    signal,
    outputs: {
      [`${folder}/root.tar`]: async (root) => {
        say('handing the image to the engine');
        id = await importRoot(engine, root, signal);
      },
    },
  });
  if (exit_code === 0) return id;
  const lines = stderr.trim().split('\n');
  const reason = lines.findLast((line) => line.startsWith('E: ')) ?? lines.at(-1) ?? `exit code ${exit_code}`;
  throw impossible(`no image could be made from the packages of Debian ${release}: ${reason}`);
}

const impossible = (detail: string) => new Problem('python_unavailable', { detail });

async function importRoot(engine: Engine, root: Readable, signal: AbortSignal): Promise<string> {
  const labels = Object.entries(labelsFor(engine, 'python')).map(([name, value]) => `LABEL ${name}="${value}"`);
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const changes = [`ENV PATH=${path}`, 'CMD ["python3"]', ...labels];
  const answer = await ask(engine.docker.importImage(root, { changes }), { seconds: import_seconds, signal });
  return await importedId(engine, answer, signal);
}

async function importedId({ docker }: Engine, answer: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status?: string }[]>();
  docker.modem.followProgress(answer, (error, lines: { status?: string }[]) =>
    error === null ? resolve(lines) : reject(error),
  );
  const id = (await ask(promise, { seconds: import_seconds, signal })).at(-1)?.status ?? '';
  if (!id.startsWith('sha256:')) throw new Error(`the engine answered an import with "${id}"`);
  return id;
}

// $1 release, $2 mirror, $3 Python. Without the packages' scripts, the script itself makes what Python and programs need of them: users,
// the bundle of certificate authorities, awk, the cache of the loader, and bytecode. The files get one owner, one time and no setuid bit.
const unpack = `
set -e
work=${folder}/work root=${folder}/root
mkdir -p $work/lists/partial $work/cache/archives/partial $work/state $root
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $2 $1 main" > $work/sources.list
: > $work/status
apt() {
  apt-get --quiet --yes --no-install-recommends -o Dir::State=$work/state -o Dir::State::lists=$work/lists \\
    -o Dir::State::status=$work/status -o Dir::Cache=$work/cache -o Dir::Etc::sourcelist=$work/sources.list \\
    -o Dir::Etc::sourceparts=/dev/null -o Debug::NoLocking=true -o Acquire::Languages=none \\
    -o Acquire::http::Proxy="$HTTP_PROXY" -o Acquire::https::Proxy="$HTTPS_PROXY" "$@" >&2
}
apt update
apt install --download-only '?essential' libstdc++6 python$3 python3 python3-venv python3-pip ca-certificates
mkdir -p $root/var/lib/dpkg
for package in $work/cache/archives/*.deb; do
  dpkg-deb --extract $package $root
  { dpkg-deb --field $package | sed '/^Package:/a Status: install ok unpacked'; echo; } >> $root/var/lib/dpkg/status
done
cp $root/usr/share/base-passwd/passwd.master $root/etc/passwd
cp $root/usr/share/base-passwd/group.master $root/etc/group
find $root/usr/share/ca-certificates -name '*.crt' -exec cat {} + > $root/etc/ssl/certs/ca-certificates.crt
ln -sf /etc/ssl/certs/ca-certificates.crt $root/usr/lib/ssl/cert.pem
[ -e $root/usr/bin/awk ] || ln -s mawk $root/usr/bin/awk
ldconfig -r $root >&2
loader=$(ls $root/lib*/ld-linux*.so* | head -n 1)
$loader --library-path "$(echo $root/usr/lib/*-linux-gnu*)" $root/usr/bin/python3 -I -S -m compileall -q -s $root \\
  --invalidation-mode unchecked-hash $root/usr/lib/python3 $root/usr/lib/python$3 >&2
chmod -R u-s,g-s $root
rm -rf $work
tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --directory $root --file ${folder}/root.tar .
`;
