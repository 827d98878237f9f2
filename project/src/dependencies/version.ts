/** A PEP 440 version in its normal form: `v1.0-alpha.1` is `1.0a1`. Undefined for other text. */
export function normaliseVersion(written: string): string | undefined {
  if (written.length > longest) return undefined;
  const match = pattern.exec(written.trim().toLowerCase());
  if (match === null) return undefined;
  const {
    epoch,
    release = '',
    pre,
    pre_number,
    post,
    post_number,
    implicit_post,
    dev,
    dev_number,
    local,
  } = match.groups ?? {};
  const number = (digits: string | undefined) => BigInt(digits === undefined || digits === '' ? 0 : digits).toString();
  return [
    epoch === undefined || number(epoch) === '0' ? '' : `${number(epoch)}!`,
    release.split('.').map(number).join('.'),
    pre === undefined ? '' : `${preNames[pre] ?? pre}${number(pre_number)}`,
    post === undefined && implicit_post === undefined ? '' : `.post${number(implicit_post ?? post_number)}`,
    dev === undefined ? '' : `.dev${number(dev_number)}`,
    local === undefined ? '' : `+${local.replaceAll(/[-_]/g, '.')}`,
  ].join('');
}

const longest = 100;

const pattern = new RegExp(
  [
    /^v?(?:(?<epoch>\d+)!)?(?<release>\d+(?:\.\d+)*)/,
    /(?:[-_.]?(?<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<pre_number>\d*))?/,
    /(?:-(?<implicit_post>\d+)|[-_.]?(?<post>post|rev|r)[-_.]?(?<post_number>\d*))?/,
    /(?:[-_.]?(?<dev>dev)[-_.]?(?<dev_number>\d*))?/,
    /(?:\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

const preNames: Readonly<Record<string, string>> = { alpha: 'a', beta: 'b', c: 'rc', pre: 'rc', preview: 'rc' };
