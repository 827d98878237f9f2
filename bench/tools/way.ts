// A way to the tools: through a gateway, or directly.
export interface ToolWay {
  url: string;
  /** Of one client. */
  headers(): Promise<Record<string, string>>;
  /** Its processes, with all that they start. */
  pids: readonly number[];
}
