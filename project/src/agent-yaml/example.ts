/** Every field, as in the documentation. It is valid, and it uses fields that are not in effect yet. */
export const agentYamlExample = `name: greeter
version: 1.0.0
description: Greets people by name
team: ml
owner: ada@example.com
tags: [demo, greeting]
framework: langgraph # or crewai
entrypoint: src/greeter/graph.py:graph # unset: agent.py exports it

model:
  primary: gpt-4o
  fallback: gpt-4o-mini
  temperature: 0.2
  max_tokens: 1024
  gateway: default

tools:
  - ref: tools/calendar
  - name: greet
    type: function
    description: Declared for documentation; it runs inside agent.py
subagents:
  - ref: agents/translator
knowledge_bases:
  - ref: kb/names
mcp_servers:
  - ref: mcp/files
    transport: stdio
skills: [skills/courtesy]
prompts:
  system: prompts/greeting@production # a label: moved without a push
  farewell: prompts/farewell@1.2.0
memory: memory-configs/short
files: [image/png, application/pdf, text/*] # unset: not checked
guardrails: [pii_detection]

access:
  visibility: team
  allowed_callers: ["team:ml"]
  may_answer: ["role:deployer", "user:ada@example.com"]
  require_approval: true
  approvals_required: 2

deploy:
  cloud: aws # unset or local: beside the service
  runtime: ecs-express
  region: eu-central-1
  scaling:
    min: 1
    max: 4
    target_cpu: 70
    target_concurrency: 8
  isolation: sandbox
  resources:
    cpu: "0.5"
    memory: 512Mi
  concurrency: 16
  tracing:
    enabled: true
    hide_inputs: true
    hide_outputs: false
  secrets: [CRM_TOKEN]
  env_vars:
    GREETING: Hello
  egress: ["api.example.com:443", "*.example.org:443"]
`;
