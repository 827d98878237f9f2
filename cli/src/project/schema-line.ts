/** The first line of an agent.yaml: the schema's address, for editors. */
export function schemaLine(server: string): string {
  return `# yaml-language-server: $schema=${server}/api/v1/schemas/agent.json\n`;
}
