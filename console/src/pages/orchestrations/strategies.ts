import type { Strategy } from './config.ts';

/** What a reader calls it, and how the members answer together. */
export const strategies: Readonly<Record<Strategy, { name: string; about: string }>> = {
  sequential: { name: 'sequential', about: 'Each member gets the answer of the one before.' },
  parallel: { name: 'parallel', about: 'All members get the input at once.' },
  fan_out_fan_in: {
    name: 'fan-out, fan-in',
    about: 'All members get the input at once, and one merges their answers.',
  },
  router: { name: 'router', about: 'One member gets the input: that of the first route that fits.' },
  supervisor: { name: 'supervisor', about: 'One member calls the others, and answers.' },
};

export function strategyName(strategy: string | null): string {
  return strategy === null
    ? '–'
    : Object.hasOwn(strategies, strategy)
      ? strategies[strategy as Strategy].name
      : strategy;
}
