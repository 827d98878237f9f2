// docs/guide/targets/azure.md on our own stand-in for Azure, which runs containers on this machine's engine.
import { key_file } from '../../server/src/testing/agents/azure-revision.ts';
import { openAzureStage } from '../../server/src/testing/agents/azure-stage.ts';
import { typePage } from './type-page.ts';

await typePage('azure.md', { open: openAzureStage, files: { 'key.json': key_file } });
