// Which target agent.yaml means. A kind stands for the only target of that kind, in the region and with the container service that the file names.
import { local_target, runtimesOf, targetKinds } from '@gantry/contract/assets/targets.ts';

/** `deploy.region` and `deploy.runtime` of agent.yaml. */
export interface WantedPlace {
  region?: string | undefined;
  runtime?: string | undefined;
}

interface Row {
  name: string;
  config: { kind: string } & Record<string, unknown>;
}

export interface Misfit {
  field: 'deploy.cloud' | 'deploy.region' | 'deploy.runtime';
  sentence: string;
}

/** The name of a target. A text that means none stays as it is, and the deploy refuses it with the names that there are. */
export function meantAmong(rows: readonly Row[], text: string, place: WantedPlace): string {
  if (!isKind(text)) return text;
  const [first, ...others] = ofKind(rows, text).filter((row) => misfits(row, place).length === 0);
  return first !== undefined && others.length === 0 ? first.name : text;
}

/** Why the target of the file is not where the file says. A target that somebody names in its place is none of the file's. */
export function whyElsewhere(
  rows: readonly Row[],
  { cloud = local_target, ...place }: WantedPlace & { cloud?: string | undefined },
  target: string,
): Misfit[] {
  const isPlaced = place.region !== undefined || place.runtime !== undefined;
  if (!isPlaced || cloud === local_target || cloud !== target) return [];
  const row = rows.find(({ name }) => name === cloud);
  if (row !== undefined) return misfits(row, place);
  const all = isKind(cloud) ? ofKind(rows, cloud) : [];
  if (all.length === 0) return [];
  const fitting = all.filter((one) => misfits(one, place).length === 0);
  if (fitting.length > 1)
    return [{ field: 'deploy.cloud', sentence: `Several targets fit: ${namesOf(fitting)}. Name one of them.` }];
  const wanted = [place.region, place.runtime].filter((word) => word !== undefined).join(' with ');
  const field = place.region === undefined ? 'deploy.runtime' : 'deploy.region';
  return [{ field, sentence: `No target of the kind \`${cloud}\` has ${wanted}: there are ${namesOf(all)}.` }];
}

function misfits(row: Row, { region, runtime }: WantedPlace): Misfit[] {
  const has = placeOf(row);
  return [
    ...(region === undefined || region === has.region
      ? []
      : [{ field: 'deploy.region' as const, sentence: differs(row, 'region', has.region, region) }]),
    ...(runtime === undefined || runtime === has.runtime
      ? []
      : [{ field: 'deploy.runtime' as const, sentence: differs(row, 'container service', has.runtime, runtime) }]),
  ];
}

const differs = ({ name }: Row, what: string, has: string | undefined, wanted: string) =>
  has === undefined
    ? `The target ${name} has no ${what}, and agent.yaml names ${wanted}.`
    : `The ${what} of the target ${name} is ${has}, and agent.yaml names ${wanted}.`;

/** A target in Google Cloud has its region in its address. */
const region_in_address = /^projects\/[^/]+\/locations\/([^/]+)$/;

function placeOf({ config: { kind, region, location, runtime, address } }: Row): WantedPlace {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const found = region_in_address.exec(text(address) ?? '')?.[1];
  return { region: text(region) ?? text(location) ?? found, runtime: text(runtime) ?? runtimesOf[kind]?.[0] };
}

function namesOf(rows: readonly Row[]): string {
  return rows.map((row) => `${row.name} (${placeOf(row).region ?? 'no region'})`).join(', ');
}

const ofKind = (rows: readonly Row[], kind: string) => rows.filter(({ config }) => config.kind === kind);
const isKind = (text: string) => (targetKinds as readonly string[]).includes(text);
