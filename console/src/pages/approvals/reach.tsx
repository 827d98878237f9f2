import type { ApprovalDetail } from '@gantry/contract/approvals.ts';
import type { Difference } from '@gantry/contract/difference.ts';
import { Section } from '../../parts/page.tsx';
import { signs } from './signs.ts';

type Reached = Difference['reach'][number];

/** For a person who decides: the effect of each kind of access. */
const meanings: Record<Reached['kind'], string> = {
  secret: 'It reads this secret, and could send it wherever its network goes.',
  host: 'It connects to this address, and could send it all that it knows.',
  model: 'It sends texts to this model; each call costs money.',
  tool: 'It uses this tool, with any input.',
  'mcp-server': 'It uses the tools of this server, with any input.',
  'knowledge-base': 'It reads what this knowledge base holds.',
  'rag-index': 'It reads what this index holds.',
  'memory-config': 'It remembers conversations in this memory.',
  prompt: 'It follows the instructions of this prompt.',
  agent: 'It calls this agent, which has an access of its own.',
  orchestration: 'It calls this orchestration, which has an access of its own.',
};

export function Reach({ request: { changes, compared_with } }: { request: ApprovalDetail }) {
  return (
    <Section title="What it may newly reach">
      {changes.reach.length === 0 ? (
        <p className="rounded border border-line bg-raised px-3 py-2.5 text-quiet">
          {compared_with === null
            ? 'It names no secret, tool, model or address.'
            : `Nothing new: it reaches what ${compared_with} reaches.`}
        </p>
      ) : (
        <ul className="rounded border border-line bg-raised">
          {[...changes.reach].toSorted(newFirst).map((reached) => (
            <Line key={`${reached.kind} ${reached.name}`} reached={reached} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Line({ reached: { kind, name, change, before, after } }: { reached: Reached }) {
  const { sign, look, word } = signs[change];
  const versions = [before, after].filter((version) => version !== null).join(' → ');
  return (
    <li className="grid grid-cols-[14px_104px_minmax(0,1fr)] gap-x-2 border-b border-line px-3 py-2 last:border-b-0">
      <span className={`font-mono ${look}`} title={word}>
        {sign}
        <span className="sr-only">{word}</span>
      </span>
      <span className="text-quiet">{kind.replaceAll('-', ' ')}</span>
      <span className="min-w-0">
        <span className={`font-strong break-words ${change === 'removed' ? 'line-through' : ''}`}>{name}</span>{' '}
        <span className="text-quiet">{versions}</span>
        <span className="block text-meta text-quiet">
          {change === 'removed'
            ? 'It no longer reaches this.'
            : change === 'changed'
              ? 'Its content is another one.'
              : meanings[kind]}
        </span>
      </span>
    </li>
  );
}

const order = ['added', 'changed', 'removed'];
const newFirst = (a: Reached, b: Reached) => order.indexOf(a.change) - order.indexOf(b.change);
