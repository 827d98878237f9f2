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
  /** Left out where the project has a lock, and where the user's packages do not allow them. The wrapper has its own server. */
  served_with: readonly PlatformRequirement[];
  /** Left out where the user's packages do not allow them, and for an agent that is not traced. */
  traced_with: readonly PlatformRequirement[];
}

/** Every version of a framework that works here needs it. */
const pydantic = { name: 'pydantic', extras: [], floor: '2.0.0' } as const satisfies PlatformRequirement;

/** The packages of an HTTP server, by the spec. */
const serverPackages = [
  { name: 'fastapi', extras: [], floor: '0.110.0' },
  { name: 'uvicorn', extras: ['standard'], floor: '0.27.0' },
  { name: 'httpx', extras: [], floor: '0.27.0' },
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
      pydantic,
    ],
    served_with: serverPackages,
    // The wrapper has a handler of its own for langchain.
    traced_with: [],
  },
  crewai: {
    exports: ['crew', 'agent'],
    missing_export: "No 'crew' or 'agent' variable found",
    export_is: 'a Crew or an Agent',
    entry_is: 'a Crew, an Agent, a Flow, a @CrewBase or Flow class, or a function that returns one',
    requires: [{ name: 'crewai', extras: [], floor: undefined }, pydantic],
    served_with: serverPackages,
    // Each traces its package where the agent imports it; none of them brings that package.
    traced_with: [
      { name: 'openinference-instrumentation-crewai', extras: [], floor: '0.1.10' },
      { name: 'opentelemetry-sdk', extras: [], floor: '1.30.0' },
      { name: 'openinference-instrumentation-openai', extras: [], floor: '0.1.30' },
      { name: 'openinference-instrumentation-anthropic', extras: [], floor: '0.1.18' },
      { name: 'openinference-instrumentation-litellm', extras: [], floor: '0.1.20' },
    ],
  },
} as const satisfies Record<Framework, FrameworkFacts>;

/** `uvicorn[standard]>=0.27.0` */
export function printRequirement({ name, extras, floor }: PlatformRequirement): string {
  return name + (extras.length === 0 ? '' : `[${extras.join(',')}]`) + (floor === undefined ? '' : `>=${floor}`);
}
