// Phone numbers of other countries, in the templates with a phone number. No rule is tuned on them.
import { fakerDE, fakerES, fakerFR, fakerIT, fakerNL, fakerPL, fakerPT_BR, fakerSV, type Faker } from '@faker-js/faker';
import { textRulesOf } from '../../server/src/testing/models/rules-of.ts';
import { spansIn } from './score.ts';

const countries: Readonly<Record<string, Faker>> = {
  DE: fakerDE,
  ES: fakerES,
  FR: fakerFR,
  IT: fakerIT,
  NL: fakerNL,
  PL: fakerPL,
  BR: fakerPT_BR,
  SE: fakerSV,
};

/** Per country: the share found by default, and with its locale. */
export async function phonesOfCountries(
  templates: readonly string[],
): Promise<{ country: string; values: number; default: number; locale: number }[]> {
  const withPhone = templates.filter((template) => template.includes('{{phone_number}}'));
  const measured = Object.entries(countries).map(async ([country, faker]) => {
    faker.seed(2);
    const texts = Array.from({ length: 400 }, (_, n) => {
      const number = faker.phone.number({ style: 'human' });
      const [before = '', after = ''] = (withPhone[n % withPhone.length] ?? '')
        .replaceAll(/\{\{(?!phone_number)\w+\}\}/g, 'Ada')
        .split('{{phone_number}}');
      return { text: before + number + after, start: before.length, end: before.length + number.length };
    });
    const found = async (options: object): Promise<number> => {
      const rules = textRulesOf('pii_detection', options);
      let count = 0;
      for (const { text, start, end } of texts)
        if ((await spansIn(text, rules)).some((span) => span.start < end && span.end > start)) count++;
      return count;
    };
    return { country, values: texts.length, default: await found({}), locale: await found({ locales: [country] }) };
  });
  return await Promise.all(measured);
}
