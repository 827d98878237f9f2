-- Owner: principals. How much a knowledge base holds.
alter table org add column knowledge_base_documents integer not null default 20000 check (knowledge_base_documents between 1 and 20000);
alter table org add column knowledge_base_mb integer not null default 2048 check (knowledge_base_mb between 1 and 2048);
