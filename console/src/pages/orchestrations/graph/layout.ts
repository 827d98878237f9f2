// Places for the nodes of a graph: columns side by side where they fit, otherwise one column with rails beside it. Pure; in pixels.
import type { Shape, ShapeEdge, ShapeNode } from './shape.ts';

export interface Placed {
  node: ShapeNode;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Line {
  edge: ShapeEdge;
  /** The attribute `d` of an SVG path. */
  d: string;
  /** Where an arrow points, and its turn in degrees. */
  arrows: readonly { x: number; y: number; turn: number }[];
  label: { x: number; y: number; width: number } | undefined;
}

export interface Layout {
  width: number;
  height: number;
  placed: readonly Placed[];
  lines: readonly Line[];
}

const pill = { width: 68, height: 28 };
const choice = { width: 144, height: 32 };
const line_px = 18;
const member_width = { min: 168, max: 248 };
const gap = { column: 44, labels: 184, row: 16, end: 32, most_more: 64 };
const rail_px = 14;
const label_px = 18;

export function layoutOf(shape: Shape, available: number): Layout {
  const columns = columnsOf(shape);
  const gaps = columns.slice(1).map((nodes) => (hasLabels(shape, nodes) ? gap.labels : gap.column));
  const members = columns.filter((nodes) => nodes.some(({ kind }) => kind === 'member')).length;
  const others = sum(columns.map((nodes) => Math.max(...nodes.map(fixedWidth)))) + sum(gaps);
  const width = Math.min(member_width.max, (available - others) / Math.max(1, members));
  if (width < member_width.min) return below(shape, Math.min(available, 440));
  const left = available - others - width * members;
  const more = Math.min(gap.most_more, left / Math.max(1, gaps.length));
  const wider = gaps.map((each) => each + more);
  return sideBySide(shape, columns, wider, width);
}

function columnsOf({ nodes }: Shape): ShapeNode[][] {
  return [...Map.groupBy(nodes, ({ column }) => column)].toSorted(([a], [b]) => a - b).map(([, column]) => column);
}

const hasLabels = ({ edges }: Shape, nodes: readonly ShapeNode[]) =>
  edges.some(({ to, labels }) => labels.length > 0 && nodes.some(({ id }) => id === to));

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

function fixedWidth({ kind }: ShapeNode): number {
  return kind === 'member' ? 0 : (kind === 'choice' ? choice : pill).width;
}

function heightOf({ kind, member, part }: ShapeNode): number {
  if (kind !== 'member') return (kind === 'choice' ? choice : pill).height;
  return 18 + line_px * (2 + (part === undefined ? 0 : 1) + (member?.fallback === undefined ? 0 : 1));
}

const gapAbove = ({ kind }: ShapeNode) => (kind === 'end' ? gap.end : gap.row);

function sideBySide(shape: Shape, columns: ShapeNode[][], gaps: readonly number[], width: number): Layout {
  const heights = columns.map((nodes) => sum(nodes.map((node, n) => heightOf(node) + (n > 0 ? gapAbove(node) : 0))));
  const height = Math.max(...heights);
  let x = 0;
  const placed = columns.flatMap((nodes, column) => {
    const widest = Math.max(...nodes.map((node) => fixedWidth(node) || width));
    let y = (height - (heights[column] ?? 0)) / 2;
    const inColumn = nodes.map((node, n): Placed => {
      const own = { width: fixedWidth(node) || width, height: heightOf(node) };
      if (n > 0) y += gapAbove(node);
      const at = { node, x: x + (widest - own.width) / 2, y, ...own };
      y += own.height;
      return at;
    });
    x += widest + (gaps[column] ?? 0);
    return inColumn;
  });
  const lines = linesOf(shape, placed, (edge, from, to) => {
    if (from.node.column === to.node.column) return straightDown(edge, from, to);
    const [x1, y1, x2, y2] = [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
    const bend = Math.min(22, (x2 - x1) / 2);
    const label = edge.labels.length === 0 ? undefined : { x: x1 + bend * 2, y: y2, width: x2 - x1 - bend * 2 - 16 };
    return {
      edge,
      d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x1 + bend} ${y2} ${x1 + bend * 2} ${y2} H${x2}`,
      arrows: [{ x: x2, y: y2, turn: 0 }, ...(edge.isBoth === true ? [{ x: x1, y: y1, turn: 180 }] : [])],
      label,
    };
  });
  return { width: x, height, placed, lines };
}

/** The end comes last. A node with several ways on has them at its left, one with several ways in at its right. */
function below(shape: Shape, width: number): Layout {
  const inner = width - 4 * rail_px;
  let y = 0;
  const placed = shape.nodes.map((node): Placed => {
    const labels = shape.edges.filter(({ to }) => to === node.id).flatMap((edge) => edge.labels);
    y += labels.length * label_px;
    const own = { width: fixedWidth(node) || inner, height: heightOf(node) };
    const at = { node, x: (width - own.width) / 2, y, ...own };
    y += own.height + 24;
    return at;
  });
  const ways = (end: 'from' | 'to', id: string) => shape.edges.filter((edge) => edge[end] === id).length;
  const lines = linesOf(shape, placed, (edge, from, to) => {
    const isEnd = to.node.kind === 'end';
    if (ways('from', from.node.id) > 1 && !isEnd) return railed(edge, from, to, { rail: rail_px / 2, isLeft: true });
    if (ways('to', to.node.id) > 1 || ways('from', from.node.id) > 1)
      return railed(edge, from, to, { rail: width - rail_px / 2, isLeft: false });
    return straightDown(edge, from, to);
  });
  return { width, height: y - 24, placed, lines };
}

function linesOf(
  { edges }: Shape,
  placed: readonly Placed[],
  draw: (edge: ShapeEdge, from: Placed, to: Placed) => Line,
): Line[] {
  const at = (id: string) => placed.find(({ node }) => node.id === id);
  return edges.flatMap((edge) => {
    const [from, to] = [at(edge.from), at(edge.to)];
    return from === undefined || to === undefined ? [] : [draw(edge, from, to)];
  });
}

function straightDown(edge: ShapeEdge, from: Placed, to: Placed): Line {
  const x = to.x + to.width / 2;
  return {
    edge,
    d: `M${x} ${from.y + from.height} V${to.y}`,
    arrows: [{ x, y: to.y, turn: 90 }],
    label: labelAbove(edge, to),
  };
}

function railed(edge: ShapeEdge, from: Placed, to: Placed, { rail, isLeft }: { rail: number; isLeft: boolean }): Line {
  const side = (at: Placed) => (isLeft ? at.x : at.x + at.width);
  const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2];
  const turn = isLeft ? 0 : 180;
  return {
    edge,
    d: `M${side(from)} ${y1} H${rail} V${y2} H${side(to)}`,
    arrows: [{ x: side(to), y: y2, turn }, ...(edge.isBoth === true ? [{ x: side(from), y: y1, turn }] : [])],
    label: labelAbove(edge, to),
  };
}

function labelAbove({ labels }: ShapeEdge, { x, y, width }: Placed): Line['label'] {
  return labels.length === 0 ? undefined : { x, y: y - (labels.length * label_px) / 2 - 2, width };
}
