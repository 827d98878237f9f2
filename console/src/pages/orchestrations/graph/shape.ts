// The graph of an orchestration: who gets what from whom, by its strategy. Columns are the order of the calls.
import type { Condition, OrchestrationConfig, OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';

export interface ShapeNode {
  /** For a member, the path of its calls without rounds and fallbacks. */
  id: string;
  /** `choice` is a decision of the service itself. */
  kind: 'start' | 'member' | 'choice' | 'end';
  column: number;
  /** The words of a node that is no member. */
  label: string;
  member?: OrchestrationMember;
  /** What it does for the others. */
  part?: string;
}

export interface ShapeEdge {
  from: string;
  to: string;
  labels: readonly string[];
  /** Calls go there, and results come back. */
  isBoth?: boolean;
}

export interface Shape {
  nodes: readonly ShapeNode[];
  edges: readonly ShapeEdge[];
}

export function shapeOf(config: OrchestrationConfig): Shape {
  return shapes[config.strategy](config);
}

const start: ShapeNode = { id: ':start', kind: 'start', column: 0, label: 'input' };
const end = (column: number, label = 'answer'): ShapeNode => ({ id: ':end', kind: 'end', column, label });

const edge = (from: string, to: string, labels: readonly string[] = []): ShapeEdge => ({ from, to, labels });

function memberNode(member: OrchestrationMember, column: number, part?: string): ShapeNode {
  return { id: member.name, kind: 'member', column, label: member.name, member, ...(part !== undefined && { part }) };
}

const shapes: Record<OrchestrationConfig['strategy'], (config: OrchestrationConfig) => Shape> = {
  sequential: ({ agents }) => {
    const nodes = [start, ...agents.map((member, n) => memberNode(member, n + 1)), end(agents.length + 1)];
    return { nodes, edges: nodes.slice(1).map(({ id }, n) => edge(nodes[n]?.id ?? start.id, id)) };
  },

  parallel: ({ agents }) => ({
    nodes: [start, ...agents.map((member) => memberNode(member, 1)), end(2, 'answers')],
    edges: agents.flatMap(({ name }) => [edge(start.id, name), edge(name, ':end')]),
  }),

  fan_out_fan_in: ({ agents, supervisor_config }) => {
    const merging = agents.filter(({ name }) => name === supervisor_config?.merge_agent);
    const workers = agents.filter((member) => !merging.includes(member));
    return {
      nodes: [
        start,
        ...workers.map((member) => memberNode(member, 1)),
        ...merging.map((member) => memberNode(member, 2, 'merges the answers')),
        end(3),
      ],
      edges: [
        ...workers.flatMap(({ name }) => [edge(start.id, name), ...merging.map((merger) => edge(name, merger.name))]),
        ...merging.map(({ name }) => edge(name, ':end')),
      ],
    };
  },

  router: ({ agents, supervisor_config }) => {
    const classifier = agents.find(({ name }) => name === supervisor_config?.classifier);
    const routes = agents.find((member) => member.routes !== undefined)?.routes ?? [];
    const targets = agents.filter(({ name }) => routes.some(({ target }) => target === name));
    const decision: ShapeNode =
      classifier === undefined
        ? { id: ':choice', kind: 'choice', column: 1, label: 'first route that fits' }
        : { ...memberNode(classifier, 1, 'names the route'), id: `classify:${classifier.name}` };
    const conditionsOf = (name: string) =>
      routes.filter(({ target }) => target === name).map(({ condition }) => describe(condition));
    return {
      nodes: [start, decision, ...targets.map((member) => memberNode(member, 2)), end(3)],
      edges: [
        edge(start.id, decision.id),
        ...targets.flatMap(({ name }) => [edge(decision.id, name, conditionsOf(name)), edge(name, ':end')]),
      ],
    };
  },

  supervisor: ({ agents, supervisor_config }) => {
    const { supervisor_agent, max_iterations = 3 } = supervisor_config ?? {};
    const leads = agents.filter(({ name }) => name === supervisor_agent);
    const workers = agents.filter((member) => !leads.includes(member));
    const part = `calls the others, at most ${max_iterations} rounds`;
    return {
      nodes: [
        start,
        ...leads.map((member) => memberNode(member, 1, part)),
        ...workers.map((member) => memberNode(member, 2)),
        end(1),
      ],
      edges: leads.flatMap(({ name }) => [
        edge(start.id, name),
        ...workers.map((worker) => ({ ...edge(name, worker.name), isBoth: true })),
        edge(name, ':end'),
      ]),
    };
  },
};

function describe(condition: Condition): string {
  if (condition === 'default') return 'all others';
  if (typeof condition === 'string') return `“${condition}”`;
  if ('contains' in condition) return `“${condition.contains}”`;
  if ('regex' in condition) return `/${condition.regex}/`;
  return `${condition.at} = ${JSON.stringify(condition.equals)}`;
}
