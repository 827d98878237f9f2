import { faker } from '@faker-js/faker';

export interface Sample {
  text: string;
  values: { start: number; end: number; type: string }[];
}

faker.seed(1);

/** The types that the rule promises to find, by the names of the templates. */
const sought: Readonly<Record<string, { type: string; make: () => string }>> = {
  credit_card_number: { type: 'CARD', make: () => faker.finance.creditCardNumber() },
  phone_number: {
    type: 'PHONE',
    make: () => faker.phone.number({ style: faker.helpers.arrayElement(['human', 'national', 'international']) }),
  },
  email: { type: 'EMAIL', make: () => faker.internet.email() },
  iban: { type: 'IBAN', make: () => faker.finance.iban({ formatted: faker.datatype.boolean() }) },
  ssn: { type: 'NATIONAL_ID', make: () => faker.helpers.fromRegExp('[1-5][0-9]{2}-[1-9][0-9]-[1-9][0-9]{3}') },
  ip_address: { type: 'IP', make: () => faker.internet.ip() },
};

const others: Readonly<Record<string, () => string>> = {
  organization: () => faker.company.name(),
  city: () => faker.location.city(),
  address: () => faker.location.streetAddress(true),
  street_name: () => faker.location.street(),
  country: () => faker.location.country(),
  building_number: () => faker.location.buildingNumber(),
  secondary_address: () => faker.location.secondaryAddress(),
  age: () => String(faker.number.int({ min: 18, max: 99 })),
  year: () => String(faker.date.past().getFullYear()),
  postcode: () => faker.location.zipCode(),
  zipcode: () => faker.location.zipCode(),
  url: () => faker.internet.url(),
  job: () => faker.person.jobTitle(),
  date_time: () => faker.date.past().toISOString(),
  date_of_birth: () => faker.date.birthdate().toLocaleDateString('en-US'),
  day_of_week: () => faker.date.weekday(),
  state_abbr: () => faker.location.state({ abbreviated: true }),
  us_driver_license: () => faker.helpers.fromRegExp('[A-Z][0-9]{7}'),
  nationality: () => faker.location.country(),
  last_name: () => faker.person.lastName(),
};

export function fill(template: string): Sample {
  const sample: Sample = { text: '', values: [] };
  for (const [index, part] of template
    .replaceAll(String.raw`\n`, '\n')
    .split(/\{\{(\w+)\}\}/)
    .entries()) {
    const known = index % 2 === 1 ? sought[part] : undefined;
    const text = index % 2 === 0 ? part : (known?.make ?? others[part] ?? (() => faker.person.fullName()))();
    if (known !== undefined)
      sample.values.push({ start: sample.text.length, end: sample.text.length + text.length, type: known.type });
    sample.text += text;
  }
  return sample;
}

export function logLine(): string {
  const at = faker.date.recent();
  return faker.helpers.arrayElement([
    () =>
      `${at.toISOString()} INFO [worker-${faker.number.int(64)}] job ${faker.string.uuid()} done in ${faker.number.float({ max: 5000, fractionDigits: 6 })} ms`,
    () => `${at.getTime()} WARN ${faker.hacker.phrase()} id=${faker.number.int({ max: 9_999_999_999 })}`,
    () =>
      `[${at.toUTCString()}] "GET /api/v${faker.system.semver()}/${faker.internet.domainWord()}?page=${faker.number.int(999)} HTTP/1.1" 200 ${faker.number.int(1e9)} "-" "${faker.internet.userAgent()}"`,
    () => `commit ${faker.git.commitSha()} ${faker.git.commitMessage()} (${faker.number.int(1e12)})`,
    () =>
      `kernel: [${faker.number.float({ max: 1e6, fractionDigits: 6 })}] ${faker.system.filePath()} pid=${faker.number.int(4_000_000)} addr=0x${faker.string.hexadecimal({ length: 16, prefix: '' })}`,
    () =>
      `trace_id=${faker.string.hexadecimal({ length: 32, prefix: '', casing: 'lower' })} span_id=${faker.string.numeric(16)} rows=${faker.number.int(1e6)} vector=[${Array.from({ length: 4 }, () => faker.number.float({ fractionDigits: 16 })).join(', ')}]`,
  ])();
}
