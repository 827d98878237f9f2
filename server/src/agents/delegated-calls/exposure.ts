// For higher folders.
export { exposing, exposureOf, forgetOldExposures, type Exposure } from './exposure-store.ts';
