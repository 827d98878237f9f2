// A vendor in memory, which makes the parts of a revision in calls of their own: a secret, a definition, a service. It can die after any call: that
// one is done, but its answer is lost, and none is answered until `revive`. Or that call hangs, while the service itself is killed.
import { Problem } from '@gantry/contract/problems.ts';
import type { Ledger, OutsideResource } from '../../agents/deploy/targets/outside.ts';
import { cutOff } from './deploy-stage.ts';
import type { Platform, PlatformDrift, ReplicaSet } from '../../agents/deploy/targets/replicas/platform.ts';

export interface Vendor {
  /** `kind name`, with the service's record. Somebody alters one by hand. */
  things: Map<string, Pick<ReplicaSet, 'revision_id' | 'replicas'> & { is_altered?: boolean }>;
  /** Since the last `revive`. */
  calls: number;
  /** Afterwards it answers, until it dies or hangs after so many calls. */
  revive(ends?: { dies_after?: number; hangs_after?: number }): void;
  isDead(): boolean;
  platform(ledger: Ledger): Platform;
}

const kinds = ['secret', 'definition', 'service'] as const;

export function startVendor(): Vendor {
  let [dies_after, hangs_after, isDead] = [Infinity, Infinity, false];
  const key = ({ kind, name }: OutsideResource) => `${kind} ${name}`;

  async function call<T>(effect: () => T, signal?: AbortSignal): Promise<T> {
    if (isDead) throw new Problem('engine_unavailable', { detail: 'The vendor does not answer' });
    const answer = effect();
    vendor.calls += 1;
    isDead = vendor.calls === dies_after || vendor.calls === hangs_after;
    if (vendor.calls === hangs_after) return await cutOff(signal ?? AbortSignal.timeout(20_000));
    if (isDead) throw new Problem('engine_unavailable', { detail: 'The vendor does not answer any more' });
    return await Promise.resolve(answer);
  }

  const vendor: Vendor = {
    things: new Map(),
    calls: 0,
    revive: (ends = {}) => {
      [dies_after = Infinity, hangs_after = Infinity] = [ends.dies_after, ends.hangs_after];
      isDead = false;
      vendor.calls = 0;
    },
    isDead: () => isDead,
    platform: (ledger) => {
      const serviceOf = (name: string) => vendor.things.get(key({ kind: 'service', name }));
      const setOf = (name: string): ReplicaSet | undefined => {
        const found = serviceOf(name);
        return found && { name, ...found };
      };
      return {
        deliver: async (image) => await Promise.resolve(image),
        describe: async (described, signal) => {
          const { name, revision_id } = described;
          for (const kind of kinds) {
            const known = await call(() => vendor.things.has(key({ kind, name })), signal);
            if (known) continue;
            await ledger.record({ kind, name }, described);
            await call(() => vendor.things.set(key({ kind, name }), { revision_id, replicas: 0 }), signal);
          }
          return { place: {}, artefacts: [] };
        },
        scale: async (name, { replicas }, signal) =>
          await call(() => {
            const found = serviceOf(name);
            if (found !== undefined) found.replicas = replicas;
          }, signal),
        observe: async (name, signal) => await call(() => setOf(name), signal),
        remove: async (name, signal) => {
          for (const kind of kinds) {
            await call(() => vendor.things.delete(key({ kind, name })), signal);
            await ledger.removed({ kind, name });
          }
        },
        drift: async (told) => {
          const listed = await call(() => new Map(vendor.things));
          const recorded = await ledger.list();
          const drifted = recorded.flatMap(({ kind, name, revision_id }): PlatformDrift[] => {
            if (revision_id === null || !told.has(revision_id)) return [];
            const live = listed.get(key({ kind, name }));
            const about = { kind, name, of: name, revision_id };
            if (live === undefined) return [{ ...about, what: 'missing', detail: 'it is gone' }];
            return live.is_altered === true ? [{ ...about, what: 'changed', detail: 'not as described: env' }] : [];
          });
          const foreign = [...listed.keys()].flatMap((found): PlatformDrift[] => {
            const [kind = '', name = ''] = found.split(' ');
            if (recorded.some((one) => one.kind === kind && one.name === name)) return [];
            return [{ kind, name, of: name, revision_id: null, what: 'foreign', detail: 'it is not on the record' }];
          });
          return [...drifted, ...foreign];
        },
        logs: async function* logs() {},
        outgoing: async () => await Promise.resolve({ service_url: 'http://service.test' }),
        room: async () => await Promise.resolve({ memory_bytes: 2 ** 40, used_bytes: 0 }),
        list: async () =>
          await call(() =>
            [...vendor.things].flatMap(([found]) => {
              const [kind, name = ''] = found.split(' ');
              return kind === 'service' ? (setOf(name) ?? []) : [];
            }),
          ),
      };
    },
  };
  return vendor;
}
