// The service's facts about each agent framework. The wrapper, the build and the check of agent.py read them.
export const frameworkNames = ['langgraph', 'crewai'] as const;
export type Framework = (typeof frameworkNames)[number];

/** A package that the image needs: the build adds it unless the user's requirements name it. */
export interface PlatformRequirement {
  name: string;
  extras: readonly string[];
  /** The lowest version that works with the wrapper; undefined: any. */
  floor: string | undefined;
}

export interface FrameworkFacts {
  /** agent.py must bind one of these names at module level; the preferred one is first. */
  exports: readonly [string, ...string[]];
  /** The spec's exact sentence for a missing export. */
  missing_export: string;
  /** The kind of the exported value, for hints. */
  export_is: string;
  /** The kinds that `entrypoint` accepts, for hints. */
  entry_is: string;
  requires: readonly PlatformRequirement[];
  /** Left out where the user's packages do not allow them, and for an agent that is not traced. */
  traced_with: readonly PlatformRequirement[];
}

/** The packages of the HTTP server around the agent. */
const serverPackages = [
  { name: 'fastapi', extras: [], floor: '0.110.0' },
  { name: 'uvicorn', extras: ['standard'], floor: '0.27.0' },
  { name: 'httpx', extras: [], floor: '0.27.0' },
  { name: 'pydantic', extras: [], floor: '2.0.0' },
] as const satisfies readonly PlatformRequirement[];

/** Each traces its package where the agent imports it; none of them brings that package. */
const tracingPackages = [
  { name: 'opentelemetry-sdk', extras: [], floor: '1.30.0' },
  { name: 'openinference-instrumentation-openai', extras: [], floor: '0.1.30' },
  { name: 'openinference-instrumentation-anthropic', extras: [], floor: '0.1.18' },
  { name: 'openinference-instrumentation-litellm', extras: [], floor: '0.1.20' },
] as const satisfies readonly PlatformRequirement[];

export const frameworks = {
  langgraph: {
    exports: ['graph', 'app'],
    missing_export: "No 'graph' or 'app' variable found",
    export_is: 'a compiled graph',
    entry_is: 'a graph, or a function that returns one',
    requires: [
      { name: 'langgraph', extras: [], floor: '0.2.0' },
      { name: 'langchain-core', extras: [], floor: '0.3.0' },
      ...serverPackages,
    ],
    traced_with: [{ name: 'openinference-instrumentation-langchain', extras: [], floor: '0.1.43' }, ...tracingPackages],
  },
  crewai: {
    exports: ['crew', 'agent'],
    missing_export: "No 'crew' or 'agent' variable found",
    export_is: 'a Crew or an Agent',
    entry_is: 'a Crew, an Agent, a Flow, a @CrewBase or Flow class, or a function that returns one',
    requires: [{ name: 'crewai', extras: [], floor: undefined }, ...serverPackages],
    traced_with: [{ name: 'openinference-instrumentation-crewai', extras: [], floor: '0.1.10' }, ...tracingPackages],
  },
} as const satisfies Record<Framework, FrameworkFacts>;

/** `uvicorn[standard]>=0.27.0` */
export function printRequirement({ name, extras, floor }: PlatformRequirement): string {
  return name + (extras.length === 0 ? '' : `[${extras.join(',')}]`) + (floor === undefined ? '' : `>=${floor}`);
}
