-- Owner: deploy. The content that runs for each agent, on all of its targets. A reference pinned in it cannot be deleted.

create view running_content as
  select r.agent_id, v.digest from route r join revision v on v.id = r.revision_id where r.desired = 'running';
