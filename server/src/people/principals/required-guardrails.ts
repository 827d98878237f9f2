import type { RequiredGuardrail } from '@gantry/contract/guardrails/required.ts';
import { wanted, type Kind, type Wanted } from '../../ground/copies/copies.ts';
import * as store from './store.ts';

interface Setting {
  required_guardrails: readonly RequiredGuardrail[];
}

const kind: Kind<undefined, Setting> = {
  name: 'required guardrails',
  textOf: () => '',
  load: async (db, keys) => {
    const { required_guardrails } = await store.settings(db);
    return keys.map(() => ({ required_guardrails }));
  },
};

/** The guardrails that the organisation requires of teams. */
export function requiredGuardrails(): Wanted<Setting> {
  return wanted(kind, undefined);
}
