// docs/guide/targets/aws.md on an emulator of ECS that runs tasks on this machine's engine.
import { openAwsStage } from '../../server/src/testing/agents/aws-stage.ts';
import { typePage } from './type-page.ts';

await typePage('aws.md', { open: openAwsStage, files: { secret: 'of the emulator\n' } });
