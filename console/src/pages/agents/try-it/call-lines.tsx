// The same call in a terminal.
import { Copy } from '../../../parts/copy.tsx';
import { Section } from '../../../parts/page/page.tsx';
import type { Input } from './turn.ts';

export function CallLines({ name, endpoint, input }: { name: string; endpoint: string; input: Input }) {
  const svc = `svc invoke ${name} ${quote(JSON.stringify(input))} --stream`;
  const curl = [
    `curl -N ${quote(endpoint.replace(/\/invoke$/, '/stream'))}`,
    '-H "authorization: Bearer $(svc token)"',
    "-H 'content-type: application/json'",
    `-d ${quote(JSON.stringify({ input }))}`,
  ].join(' ');
  return (
    <div className="mt-6">
      <Section title="The same in a terminal">
        <div className="flex flex-col gap-2 rounded border border-line bg-raised px-3 py-2.5 font-mono text-meta">
          <Copy text={svc} label="the svc line" />
          <Copy text={curl} label="the curl line" />
        </div>
      </Section>
    </div>
  );
}

// For a POSIX shell.
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
