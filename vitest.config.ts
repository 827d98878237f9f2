import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { everyday, heavy } from './setup/test-projects.js';

const order = [...everyday, ...heavy];

// End-to-end files are the longest, so no worker ends with one of them. The files of a project follow each other, because a worker keeps
// its modules only for files of the same project.
class ByProject extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => order.indexOf(project.name);
    return Promise.resolve(files.toSorted((a, b) => place(a) - place(b)));
  }
}

// `expect.poll` waits a second by default, and a container or another process on a busy machine takes longer. Only a failure waits so long.
const patient = { poll: { timeout: 20_000 } };

// Minutes of traffic and of crashes. `npm test` has each of their promises in a shorter test.
// oxlint-disable-next-line node/no-process-env -- `npm run soak` sets it
const inSoak = process.env['SOAK'] === '1' ? ['e2e/soak/*.test.ts'] : [];
const onCluster = inSoak.map(() => 'e2e/soak/kubernetes/*.test.ts');

// Two at a time, on the smallest machine with its two cores: an end-to-end file brings containers. A server test file brings a database and waits for it half of
// its time, so three of them run at a time, after the others.
const withContainers = { maxWorkers: 2, sequence: { groupOrder: 0 } };
const withDatabase = { maxWorkers: 3, sequence: { groupOrder: 1 } };
// Those of e2e/shared that look into no container by the engine.
const storiesOnCluster = [
  'hosted-tools',
  'human-in-the-loop',
  'memory-config',
  'runs-of-calls',
  'skills',
  'subagents',
  'tools',
].map((name) => `e2e/shared/${name}.test.ts`);
// They share a cluster, and some cut its nodes off.
const alone = { maxWorkers: 1, sequence: { groupOrder: 2 } };

export default defineConfig({
  test: {
    pool: 'forks',
    sequence: { sequencer: ByProject },
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      {
        test: {
          name: 'parts',
          ...withDatabase,
          include: [
            'contract/**/*.test.ts',
            'project/**/*.test.ts',
            'reference/**/*.test.ts',
            'bench/**/*.test.ts',
            'cli/**/*.test.ts',
            'setup/**/*.test.js',
          ],
          isolate: false,
          expect: patient,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          ...withDatabase,
          include: ['server/**/*.test.ts'],
          exclude: ['**/*.clouds.test.ts'],
          // A worker keeps its modules for its next file. Loading the whole service again takes a second of processor time.
          isolate: false,
          globalSetup: ['server/src/testing/global-setup.ts'],
          expect: patient,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          ...withContainers,
          include: ['e2e/*.test.ts', ...inSoak],
          expect: patient,
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'e2e-shared',
          ...withContainers,
          include: ['e2e/shared/*.test.ts'],
          globalSetup: ['e2e/shared/global-setup.ts'],
          expect: patient,
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'console',
          ...withContainers,
          include: ['e2e/console/**/*.test.ts'],
          globalSetup: ['e2e/console/global-setup.ts'],
          expect: patient,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'clouds',
          ...alone,
          include: ['server/**/*.clouds.test.ts', 'e2e/clouds/*.test.ts'],
          globalSetup: ['server/src/testing/global-setup.ts'],
          expect: patient,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'kubernetes-stories',
          ...alone,
          include: storiesOnCluster,
          globalSetup: ['e2e/kubernetes/stories-setup.ts'],
          expect: patient,
          testTimeout: 240_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'kubernetes',
          ...alone,
          include: ['e2e/kubernetes/**/*.test.ts', ...onCluster],
          globalSetup: ['server/src/testing/global-setup.ts', 'e2e/kubernetes/global-setup.ts'],
          expect: patient,
          testTimeout: 240_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
