// docs/guide/targets/gcp.md on our own stand-in for Cloud Run, which runs containers on this machine's engine.
import { key_file, openGoogleStage } from '../../server/src/testing/agents/google-stage.ts';
import { typePage } from './type-page.ts';

await typePage('gcp.md', { open: openGoogleStage, files: { 'key.json': key_file } });
