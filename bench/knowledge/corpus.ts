// Texts of any length from the sentences of a real one, and the questions of that text.
import { debianFaq } from '../../server/src/testing/knowledge/debian-faq.ts';

export interface Corpus {
  questions: string[];
  /** A section of some 600 characters. */
  section(n: number): string;
}

export async function faqCorpus(): Promise<Corpus> {
  const all = await debianFaq();
  const sentences = all.flatMap(({ answer }) =>
    answer
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=[.?!]) /)
      .filter((one) => one.length > 40),
  );
  const random = generator();
  const any = () => sentences[Math.floor(random() * sentences.length)] ?? '';
  return {
    questions: all.map(({ question }) => question),
    section: (n) => {
      let text = `# Section ${n}\n\n${any()}`;
      while (text.length < 600) text += ` ${any()}`;
      return `${text.slice(0, 800)}\n`;
    },
  };
}

/** The same numbers in each run (mulberry32). */
function generator(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
