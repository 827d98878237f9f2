// verifier/verify.mjs, as the build gives it to the browser (console/verifier.ts).
declare module 'virtual:verifier' {
  interface Finding {
    chain: string;
    seq: number | null;
    kind: string;
    detail: string;
  }
  export interface CheckedChain {
    chain: string;
    entries: number;
    signed: number;
    anchored: number;
    damage: Finding[];
    notices: Finding[];
  }
  type Lines = () => AsyncIterable<string[]>;
  export function checkLog(given: {
    lines: Lines;
    key: object;
    anchor?: { name: string; lines: Lines } | undefined;
    told?: (entries: number) => void;
  }): Promise<CheckedChain[]>;
  export function verdictOf(chains: CheckedChain[]): 'damaged' | 'true_as_anchored' | 'unanchored';
}
