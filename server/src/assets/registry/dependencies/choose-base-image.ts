import type { RequiredPython } from '@gantry/project/dependencies/pyproject-metadata.ts';
import { satisfies } from '@gantry/project/dependencies/python-version.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { BaseImage, Resolver, ResolveRequest } from './resolver.ts';

export interface PythonWish extends Pick<ResolveRequest, 'onLog' | 'signal'> {
  /** The constraints of the project's files. */
  required: readonly RequiredPython[];
  /** The preference of langgraph.json, in the project's own text. It is taken where it can be had. */
  preferred: string | undefined;
  /** Gets the reason of a long wait, and why another Python than the preferred one is taken. */
  notice: (sentence: string) => void;
}

/**
 * The base image for a project: the preferred Python, else the usual one, else the newest allowed one, else an allowed one that is obtained.
 * Throws `python_unavailable` and `base_image_missing`, before anything is resolved.
 */
export async function chooseBaseImage(resolver: Resolver, wish: PythonWish): Promise<BaseImage> {
  const { required, preferred, notice } = wish;
  const usual = await resolver.baseImage();
  const [first, ...others] = versionsOf(resolver, minorOf(usual.python_version));
  const allows = (python: string) => required.every(({ specifier }) => satisfies(python, specifier));
  const refused = new Map<string, string>();

  /** Undefined for one that cannot be had, or whose patch release is too old. */
  async function take(python: string): Promise<BaseImage | undefined> {
    const base = python === first ? usual : await open(resolver, python, { ...wish, refused });
    return base !== undefined && allows(base.python_version) ? base : undefined;
  }

  const offered = [first, ...others].find((python) => python === (preferred === undefined ? '' : minorOf(preferred)));
  const tried = [...(offered === undefined ? [] : [offered]), first, ...others].filter(allows);
  for (const python of new Set(tried)) {
    const base = await take(python);
    if (base === undefined) continue;
    if (preferred !== undefined && python !== offered)
      notice(passedOver(preferred, { offered, refused, allowed: allows(preferred), taken: base.python_version }));
    return base;
  }
  throw unavailable(required, [usual.python_version, ...resolver.further_pythons], refused);
}

/** The usual one, the named ones, and the obtainable ones from the nearest on, which have the most wheels in common with the usual one. */
function versionsOf({ further_pythons, obtainable_pythons }: Resolver, usual: string): [string, ...string[]] {
  const there = [usual, ...further_pythons.filter((python) => python !== usual)];
  const distance = (python: string) => Math.abs(secondOf(python) - secondOf(usual));
  const obtainable = obtainable_pythons
    .filter((python) => !there.includes(python))
    .toSorted((a, b) => distance(a) - distance(b) || secondOf(b) - secondOf(a));
  return [usual, ...there.slice(1), ...obtainable];
}

async function open(
  resolver: Resolver,
  python: string,
  { refused, onLog, notice, signal }: PythonWish & { refused: Map<string, string> },
): Promise<BaseImage | undefined> {
  if (resolver.further_pythons.includes(python)) return await resolver.baseImage(python);
  let isSaid = false;
  // One that is there already has no progress.
  const onProgress = (line: string) => {
    if (!isSaid)
      notice(`The service has no Python ${python} yet. This push obtains it, which takes a minute or two, once.`);
    isSaid = true;
    onLog(line);
  };
  try {
    return await resolver.obtainBaseImage(python, { onLog: onProgress, signal });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'python_unavailable') throw error;
    refused.set(python, error.detail ?? `Python ${python} cannot be obtained`);
    return undefined;
  }
}

const minorOf = (python: string): string => python.split('.').slice(0, 2).join('.');
const secondOf = (python: string): number => Number(python.split('.')[1]);

function passedOver(
  preferred: string,
  o: { offered: string | undefined; refused: ReadonlyMap<string, string>; allowed: boolean; taken: string },
): string {
  const { offered, refused, allowed, taken } = o;
  // The text is the project's own.
  const asked = `langgraph.json asks for Python ${JSON.stringify(preferred.slice(0, 20))}, and the agent gets ${taken}`;
  if (offered === undefined) return `${asked}: this service does not have that version.`;
  if (!allowed) return `${asked}: requires-python does not allow that version.`;
  return `${asked}: ${refused.get(offered) ?? 'its patch release does not meet requires-python'}.`;
}

function unavailable(
  required: readonly RequiredPython[],
  available: string[],
  refused: ReadonlyMap<string, string>,
): Problem {
  const known = [...available, ...refused.keys()];
  const unmet = required.filter(({ specifier }) => !known.some((python) => satisfies(python, specifier)));
  const named = unmet.length === 0 ? required : unmet;
  const places = named.map(({ file, line, specifier }) => `${specifier} (${file}:${line})`).join(' and ');
  const reasons = [...refused.values()].map((reason) => ` ${reason}.`).join('');
  const [wanted = '<version>'] = refused.keys();
  return new Problem('python_unavailable', {
    detail: `The project needs Python ${places}, and this service has ${available.join(', ')}.${reasons}`,
    hint: `Widen requires-python to allow one of ${available.join(', ')}. Or an operator adds a Python: \`npm run base-image ${wanted}\`, or \`svc server set BASE_IMAGES+=${wanted}=<image>\` for an image in the engine; then \`svc server restart\`.`,
    fields: {
      required: named.map((one) => ({ source: `${one.file}:${one.line}`, specifier: one.specifier })),
      available,
    },
  });
}
