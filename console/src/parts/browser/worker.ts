// A worker's address is a sink of trusted types. The policy lets only files of the console's own build through.
interface Policy {
  createScriptURL(url: string): string;
}
const { trustedTypes } = window as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }; // not in TypeScript's library
const rules: Policy = {
  createScriptURL: (url) => {
    const { origin, pathname } = new URL(url, location.origin);
    if (origin !== location.origin || !pathname.startsWith('/assets/')) throw new TypeError(`${url} is no worker`);
    return url;
  },
};
const policy = trustedTypes?.createPolicy('gantry', rules) ?? rules;

export const openWorker = (url: string): Worker => new Worker(policy.createScriptURL(url), { type: 'module' });
