// Reciprocal rank fusion: what is near the top of several lists comes first. Scores of different kinds need no common scale.

/** How much a place at the top counts beside one further down; 60 is the usual number. */
const usual_k = 60;

/** Each list is the best first, and has an id once. Equal scores keep the order of their first list. */
export function fuseRanks(lists: readonly (readonly string[])[], k = usual_k): { id: string; score: number }[] {
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [rank, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (k + rank + 1));
  return [...scores].map(([id, score]) => ({ id, score })).toSorted((a, b) => b.score - a.score);
}

/** The best of several lists whose scores have one scale. */
export function bestOf<Ranked extends { score: number }>(
  lists: readonly (readonly Ranked[])[],
  limit: number,
): Ranked[] {
  return lists
    .flat()
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit);
}
