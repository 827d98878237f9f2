// A vendor in memory, which makes the parts of a revision in calls of their own: a secret, a definition, a service. It can die after any call: that
// one is done, but its answer is lost, and none is answered until `revive`.
import { Problem } from '@gantry/contract/problems.ts';
import type { Ledger, OutsideResource } from '../../agents/deploy/targets/outside.ts';
import type { Platform, ReplicaSet } from '../../agents/deploy/targets/replicas/platform.ts';

export interface Vendor {
  /** `kind name`, with the service's record. */
  things: Map<string, Pick<ReplicaSet, 'revision_id' | 'replicas'>>;
  /** Since the last `revive`. */
  calls: number;
  revive(dies_after?: number): void;
  isDead(): boolean;
  platform(ledger: Ledger): Platform;
}

const kinds = ['secret', 'definition', 'service'] as const;

export function startVendor(): Vendor {
  let [dies_after, isDead] = [Infinity, false];
  const key = ({ kind, name }: OutsideResource) => `${kind} ${name}`;

  async function call<T>(effect: () => T): Promise<T> {
    if (isDead) throw new Problem('engine_unavailable', { detail: 'The vendor does not answer' });
    const answer = effect();
    vendor.calls += 1;
    isDead = vendor.calls === dies_after;
    if (isDead) throw new Problem('engine_unavailable', { detail: 'The vendor does not answer any more' });
    return await Promise.resolve(answer);
  }

  const vendor: Vendor = {
    things: new Map(),
    calls: 0,
    revive: (after = Infinity) => {
      [dies_after, isDead] = [after, false];
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
        describe: async (described) => {
          const { name, revision_id } = described;
          for (const kind of kinds) {
            const known = await call(() => vendor.things.has(key({ kind, name })));
            if (known) continue;
            await ledger.record({ kind, name }, described);
            await call(() => vendor.things.set(key({ kind, name }), { revision_id, replicas: 0 }));
          }
          return { place: {}, artefacts: [] };
        },
        scale: async (name, { replicas }) =>
          await call(() => {
            const found = serviceOf(name);
            if (found !== undefined) found.replicas = replicas;
          }),
        observe: async (name) => await call(() => setOf(name)),
        remove: async (name) => {
          for (const kind of kinds) {
            await call(() => vendor.things.delete(key({ kind, name })));
            await ledger.removed({ kind, name });
          }
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
