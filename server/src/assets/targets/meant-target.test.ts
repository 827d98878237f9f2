import { expect, test } from 'vitest';
import { meantAmong, whyElsewhere } from './meant-target.ts';

// Kinds have the fields of a place in their configs, or none. `kubernetes` stands for a kind that has them.
const row = (name: string, more: object = {}, kind = 'kubernetes') => ({ name, config: { kind, ...more } });
const eu = row('prod-eu', { region: 'eu-west-1', runtime: 'ecs-fargate' });
const us = row('prod-us', { region: 'us-east-1', runtime: 'ecs-fargate' });
const express = row('web-us', { region: 'us-east-1', runtime: 'ecs-express' });
const plain = row('box', {}, 'engine');
const run = row('run', { address: 'projects/my-project/locations/europe-west1' }, 'gcp');
const apps = row('apps', { location: 'westeurope' }, 'azure');
const rows = [eu, us, express, plain, run, apps];

test.each([
  ['a name', 'prod-eu', {}, 'prod-eu'],
  ['the only one of its kind', 'engine', {}, 'box'],
  ['a kind with several', 'kubernetes', {}, 'kubernetes'],
  ['a kind and a region with one', 'kubernetes', { region: 'eu-west-1' }, 'prod-eu'],
  ['a kind and a region with several', 'kubernetes', { region: 'us-east-1' }, 'kubernetes'],
  ['a kind, a region and a runtime', 'kubernetes', { region: 'us-east-1', runtime: 'ecs-express' }, 'web-us'],
  ['a kind and a runtime', 'kubernetes', { runtime: 'ecs-express' }, 'web-us'],
  ['a kind and a region with none', 'kubernetes', { region: 'ap-south-1' }, 'kubernetes'],
  ['a kind with the region in its address', 'gcp', { region: 'europe-west1', runtime: 'cloud-run' }, 'run'],
  ['a kind with another region in its address', 'gcp', { region: 'europe-west4' }, 'gcp'],
  ['a kind with a location', 'azure', { region: 'westeurope', runtime: 'container-apps' }, 'apps'],
  ['a kind without regions and a region', 'engine', { region: 'eu-west-1' }, 'engine'],
])('%s means a target', (_, text, place, name) => {
  expect(meantAmong(rows, text, place)).toBe(name);
});

test.each([
  ['its own region', { cloud: 'prod-eu', region: 'eu-west-1' }, 'prod-eu', []],
  ['no region', { cloud: 'prod-eu' }, 'prod-eu', []],
  ['local', { region: 'eu-west-1' }, 'local', []],
  ['a target that somebody named instead', { cloud: 'prod-eu', region: 'eu-west-1' }, 'prod-us', []],
  [
    'another region',
    { cloud: 'prod-us', region: 'eu-west-1' },
    'prod-us',
    ['deploy.region: The region of the target prod-us is us-east-1, and agent.yaml names eu-west-1.'],
  ],
  [
    'another runtime',
    { cloud: 'prod-us', runtime: 'cloud-run' },
    'prod-us',
    ['deploy.runtime: The container service of the target prod-us is ecs-fargate, and agent.yaml names cloud-run.'],
  ],
  [
    'a target without a region',
    { cloud: 'box', region: 'eu-west-1' },
    'box',
    ['deploy.region: The target box has no region, and agent.yaml names eu-west-1.'],
  ],
  [
    'a kind with none there',
    { cloud: 'kubernetes', region: 'ap-south-1' },
    'kubernetes',
    [
      'deploy.region: No target of the kind `kubernetes` has ap-south-1: there are prod-eu (eu-west-1), prod-us (us-east-1), web-us (us-east-1).',
    ],
  ],
  [
    'a kind with several there',
    { cloud: 'kubernetes', region: 'us-east-1' },
    'kubernetes',
    ['deploy.cloud: Several targets fit: prod-us (us-east-1), web-us (us-east-1). Name one of them.'],
  ],
])('T576: an agent is deployed to no other place than its file says: %s', (_, deploy, target, sentences) => {
  expect(whyElsewhere(rows, deploy, target).map(({ field, sentence }) => `${field}: ${sentence}`)).toEqual(sentences);
});
