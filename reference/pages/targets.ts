import { targetKinds } from '@gantry/contract/assets/targets.ts';
import { table, type Page } from '../page.ts';
import { targetFeatures, ways, type Cell, type Feature } from '../targets.ts';

const kinds = ['local', ...targetKinds];

/** What each kind of target does, and how that was verified. */
export async function targetsPage(): Promise<Page> {
  const features = await targetFeatures();
  return {
    file: 'targets.md',
    text: `# Targets

What works on each kind of target, and how that was verified. A test compares this page with the existing tests.

- **run**: on the real thing: a container engine, a cluster of Kubernetes.
- **run on ministack**: on an emulator of AWS that starts real containers. Nothing was run in an account of AWS.
- **state-tested**: against an emulator that keeps the state of the vendor's API and runs nothing.
- **schema-checked**: each request was checked against the vendor's own schema. Nothing answered it but a test.
- **own fake**: against a server of this project that answers as the vendor's documentation says.
- **–**: not there. The list below says why.

${table(['feature', ...kinds.map((kind) => `\`${kind}\``)], features.map(summary))}

${features.map(details).join('\n\n')}
`,
  };
}

const summary = ({ name, cells }: Feature) => [name, ...kinds.map((kind) => best(cells.get(kind)))];

function best(cell: Cell | undefined): string {
  const proven = cell?.tests.map(({ way }) => way) ?? [];
  return ways.find((way) => proven.includes(way)) ?? '–';
}

function details({ name, cells }: Feature): string {
  const rows = kinds.flatMap((kind) => {
    const { tests = [], missing = [] } = cells.get(kind) ?? {};
    return [
      ...tests.map(({ way, file, name: title }) => [`\`${kind}\``, way, `\`${file}\`: ${title}`]),
      ...missing.map((why) => [`\`${kind}\``, '–', why]),
    ];
  });
  return `## ${name}\n\n${table(['kind', 'how', 'test, or why not'], rows)}`;
}
