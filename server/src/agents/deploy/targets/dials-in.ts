import { dialledUrl } from '../dial-in/dialled.ts';
import type { Instance, Target } from './target.ts';

/** The same target, whose instances have no address and dial in. */
export function dialsIn(target: Target): Target {
  return {
    ...target,
    dials_in: 'alone',
    start: async (place, files, signal) => dialling(await target.start(place, files, signal)),
    observe: async (place, signal) => dialling(await target.observe(place, signal)),
    list: async (signal) => (await target.list(signal)).map(dialling),
  };
}

function dialling({ url, ...instance }: Instance): Instance {
  return url === undefined ? instance : { ...instance, url: dialledUrl(instance.instance_id) };
}
