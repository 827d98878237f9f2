import { ruleThread } from '../../assets/registry/call-rules/rule-thread.ts';

/** It starts with the first rule that it decides. */
export const rules = ruleThread();
