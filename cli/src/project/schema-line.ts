/** The first line of an agent.yaml: it tells editors where the schema is. */
export function schemaLine(server: string): string {
  return `# yaml-language-server: $schema=${server}/api/v1/schemas/agent.json\n`;
}
