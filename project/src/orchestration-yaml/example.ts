/** Every field, as in the documentation. It is valid, and it uses fields that are not in effect. */
export const orchestrationYamlExample = `name: support
version: 1.0.0
description: Answers customers, or hands them to a person
team: ml
owner: ada@example.com
tags: [demo, support]
strategy: router # or sequential, parallel, fan_out_fan_in, supervisor

agents: # in the order of their calls
  triage:
    ref: agents/triage
    routes: # the first match gets the input
      - {condition: invoice, target: billing} # the input contains this text
      - {condition: {contains: default}, target: technician}
      - {condition: {regex: "(?i)refund|money back"}, target: billing}
      - {condition: {equals: gold, at: /customer/plan}, target: technician}
      - {condition: default, target: clerk} # all other inputs
  billing:
    ref: agents/billing@1.2.0 # exactly this version
    fallback: clerk
    timeout_seconds: 30 # then it has failed
    retry: true
  technician:
    ref: agents/technician
    input: /question # where its input gets the text
    output: /answer/text # where its output has the text
    fallback: clerk
  clerk:
    ref: agents/clerk

supervisor_config:
  classifier: triage # router: it names the route
  supervisor_agent: triage # supervisor: it delegates and answers
  merge_agent: clerk # fan_out_fan_in: it merges the outputs
  max_iterations: 3

timeout_seconds: 300
on_error: fail # or continue
budget_usd: "0.50"

shared_state:
  backend: redis
deploy:
  target: local
  resources:
    cpu: "0.5"
    memory: 512Mi
`;
