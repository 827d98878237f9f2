import { expect, test } from 'vitest';
import { testNames } from './test-names.ts';
import { threatSections } from './threats.ts';

const threats = (await threatSections()).flatMap((section) => section.threats);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `T${from + n}`);
const wanted = [
  ...range(1, 57),
  'T60',
  'T62',
  ...range(66, 69),
  'T73',
  'T74',
  ...range(77, 95),
  ...range(97, 118),
  'T122',
  'T124',
  'T125',
  'T140',
  'T141',
  'T142',
  ...range(150, 165),
  ...range(170, 175),
  ...range(180, 188),
  ...range(190, 198),
  ...range(199, 209),
  ...range(210, 212),
  'T215',
  'T216',
  'T220',
  'T221',
  'T222',
  'T230',
  'T231',
  ...range(240, 242),
  ...range(246, 249),
  'T245',
  ...range(250, 252),
  ...range(253, 257),
  ...range(266, 277),
  ...range(278, 281),
  ...range(284, 287),
  ...range(290, 302),
  ...range(304, 309),
  ...range(312, 315),
  ...range(317, 321),
  ...range(329, 331),
  ...range(336, 340),
  ...range(351, 353),
  ...range(332, 334),
  ...range(347, 348),
  ...range(342, 346),
  ...range(354, 356),
  ...range(380, 382),
  ...range(375, 379),
  ...range(385, 392),
  ...range(360, 364),
  ...range(407, 415),
  ...range(422, 422),
  ...range(397, 398),
  ...range(417, 418),
  ...range(403, 406),
  ...range(425, 427),
  ...range(432, 435),
  ...range(393, 396),
  ...range(538, 549),
  ...range(557, 558),
  ...range(399, 402),
  ...range(419, 421),
  ...range(440, 496),
  ...range(497, 500),
  ...range(502, 508),
  ...range(512, 525),
  ...range(550, 553),
  ...range(532, 537),
  ...range(429, 431),
  ...range(436, 437),
  ...range(526, 531),
  ...range(554, 556),
  ...range(570, 572),
];

test('every threat to an existing feature has a promise, and tests or the reason for their absence', () => {
  expect(threats.map(({ number }) => number)).toEqual(wanted);
  expect(threats.filter(({ tests, untried }) => tests.length + untried.length === 0)).toEqual([]);
});

test.each(threats.flatMap(({ number, tests }) => tests.map(({ file, name }) => [number, file, name] as const)))(
  '%s: %s has the test "%s"',
  async (_, file, name) => {
    expect(await testNames(file)).toContain(name);
  },
);
