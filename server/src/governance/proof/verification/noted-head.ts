// `signin:12:ab…,governance:7:cd…`: short enough to write down, and exact enough as evidence.
import { chains, type Chain, type Verification } from '@gantry/contract/audit/audit.ts';
import { Problem } from '@gantry/contract/problems.ts';

export type Noted = Map<Chain, { seq: number; hash: string }>;

export function printHead(checked: Verification['chains']): string {
  return checked.map(({ chain, entries, head }) => `${chain}:${entries}:${head}`).join(',');
}

export function parseHead(text: string): Noted {
  const parts = text.split(',').map((part) => /^(signin|governance):(\d{1,15}):([0-9a-f]{64})$/.exec(part.trim()));
  const noted: Noted = new Map();
  for (const part of parts) {
    if (part?.[1] === undefined || part[2] === undefined || part[3] === undefined) {
      throw new Problem('malformed', { detail: 'This is not a head from `svc audit verify`.' });
    }
    const chain = part[1] as Chain; // the pattern names the chains
    if (noted.has(chain)) throw new Problem('malformed', { detail: `This head names the chain ${chain} twice.` });
    noted.set(chain, { seq: Number(part[2]), hash: part[3] });
  }
  // A missing chain could be truncated and would still count as anchored.
  const missing = chains.filter((chain) => !noted.has(chain));
  if (missing.length > 0) {
    throw new Problem('malformed', {
      detail: `This head is incomplete: the chain ${missing.join(', ')} is missing.`,
      hint: 'Give the complete head that `svc audit verify` printed.',
    });
  }
  return noted;
}
