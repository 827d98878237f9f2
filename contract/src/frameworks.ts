// What the service knows about each agent framework, as data. The wrapper, the build and the check of agent.py read it.
export const frameworkNames = ['langgraph', 'crewai'] as const;
export type Framework = (typeof frameworkNames)[number];

/** A package the image must hold: added at build time when the user's requirements do not name it. */
export interface PlatformRequirement {
  name: string;
  extras: readonly string[];
  /** The lowest version the wrapper works with; undefined: any. */
  floor: string | undefined;
}

export interface FrameworkFacts {
  /** Names of which agent.py must bind one at module level, the preferred one first. */
  exports: readonly [string, ...string[]];
  /** The spec's sentence, word for word, when none of them is there. */
  missing_export: string;
  /** What the exported value must be, for hints. */
  export_is: string;
  /** What a name that `entrypoint` gives may be, for hints. */
  entry_is: string;
  requires: readonly PlatformRequirement[];
}

/** What the HTTP server around the agent needs. */
const serverPackages = [
  { name: 'fastapi', extras: [], floor: '0.110.0' },
  { name: 'uvicorn', extras: ['standard'], floor: '0.27.0' },
  { name: 'httpx', extras: [], floor: '0.27.0' },
  { name: 'pydantic', extras: [], floor: '2.0.0' },
] as const satisfies readonly PlatformRequirement[];

export const frameworks = {
  langgraph: {
    exports: ['graph', 'app'],
    missing_export: "No 'graph' or 'app' variable found",
    export_is: 'a compiled graph',
    entry_is: 'a graph, or a function that makes one',
    requires: [
      { name: 'langgraph', extras: [], floor: '0.2.0' },
      { name: 'langchain-core', extras: [], floor: '0.3.0' },
      ...serverPackages,
    ],
  },
  crewai: {
    exports: ['crew', 'agent'],
    missing_export: "No 'crew' or 'agent' variable found",
    export_is: 'a Crew or an Agent',
    entry_is: 'a Crew, an Agent, a @CrewBase class, or a function that makes one',
    requires: [{ name: 'crewai', extras: [], floor: undefined }, ...serverPackages],
  },
} as const satisfies Record<Framework, FrameworkFacts>;

/** `uvicorn[standard]>=0.27.0` */
export function printRequirement({ name, extras, floor }: PlatformRequirement): string {
  return name + (extras.length === 0 ? '' : `[${extras.join(',')}]`) + (floor === undefined ? '' : `>=${floor}`);
}
