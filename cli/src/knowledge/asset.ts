import { namePattern, parseRef } from '@gantry/contract/refs.ts';
import type { Input } from '../command.ts';
import { misuse } from '../refusal.ts';

export interface KnowledgeAsset {
  kind: 'knowledge-base' | 'rag-index';
  name: string;
}

/** `handbook` is a knowledge base; a RAG index has its reference. */
export const knowledgeAsset: Input<KnowledgeAsset> = {
  summary: 'The knowledge base: <name>; or a RAG index: rag-indexes/<name>',
  required: true,
  names: 'knowledge-base',
  read: (given) => {
    const text = String(given);
    if (namePattern.test(text)) return { kind: 'knowledge-base', name: text };
    const ref = parseRef(text);
    if (ref?.kind === 'knowledge-base' || ref?.kind === 'rag-index') return { kind: ref.kind, name: ref.name };
    throw misuse(`"${text}" is no knowledge base and no RAG index`, 'List them: svc registry knowledge-base list');
  },
};

export const baseArgument: Input<string> = {
  summary: 'The knowledge base: <name> or kb/<name>',
  required: true,
  names: 'knowledge-base',
  read: (given) => {
    const { kind, name } = knowledgeAsset.read(given, 'base');
    if (kind === 'knowledge-base') return name;
    throw misuse(`rag-indexes/${name} is a RAG index, and snapshots are of knowledge bases`);
  },
};

export const snapshotArgument: Input<number> = {
  summary: 'The number of the snapshot',
  required: true,
  read: (given) => {
    const number = Number(given);
    if (Number.isInteger(number) && number >= 1) return number;
    throw misuse(`"${String(given)}" is no number of a snapshot`, 'List them: svc kb snapshots <name>');
  },
};
