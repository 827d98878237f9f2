// Answers of AWS on the wire, as each service writes them, to the clients of the SDK.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from './answers.ts';
import { openClients, type AwsClients } from './clients.ts';

let server: Server;
let clients: AwsClients;
let answer: { status: number; body: string };

beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' }).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const credentials = { accessKeyId: 'AKIA0000000000000000', secretAccessKey: 'the secret of the key' };
  clients = await openClients({ region: 'eu-west-1', endpoint, scaling_endpoint: endpoint, credentials });
});
afterAll(() => void server?.close());

const says = (type: string, message: string, status = 400) =>
  (answer = { status, body: JSON.stringify({ __type: type, message, Message: message }) });
const refusal = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  );

test.each([
  ['ecs:CreateService', async () => await clients.ecs.createService({ serviceName: 'a' })],
  ['ecr:GetAuthorizationToken', async () => await clients.ecr.getAuthorizationToken({})],
  ['secretsmanager:GetSecretValue', async () => await clients.secrets.getSecretValue({ SecretId: 'a' })],
  ['logs:GetLogEvents', async () => await clients.logs.getLogEvents({ logStreamName: 'a' })],
  [
    'application-autoscaling:PutScalingPolicy',
    async () =>
      await clients.scaling.putScalingPolicy({
        ServiceNamespace: 'ecs',
        PolicyName: 'a',
        ResourceId: 'a',
        ScalableDimension: 'ecs:service:DesiredCount',
      }),
  ],
])('a permission that is missing is named: %s', async (action, ask) => {
  const resource = 'arn:aws:x:eu-west-1:123456789012:thing/a';
  says(
    'AccessDeniedException',
    `User: arn:aws:iam::123456789012:user/gantry is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`,
  );
  expect(await refusal(ask())).toMatchObject({
    code: 'engine_unavailable',
    detail: `AWS does not allow it: ${action} on ${resource}.`,
    hint: expect.stringContaining('svc target policy'),
  });
});

test('a role that may not be passed is named, whatever the service calls the refusal', async () => {
  const role = 'arn:aws:iam::123456789012:role/gantry-execution';
  says(
    'ClientException',
    `User: arn:aws:iam::123456789012:user/gantry is not authorized to perform: iam:PassRole on resource: ${role}`,
  );
  expect(await refusal(clients.ecs.registerTaskDefinition({ family: 'a', containerDefinitions: [] }))).toMatchObject({
    code: 'engine_unavailable',
    detail: `AWS does not allow it: iam:PassRole on ${role}.`,
  });
});

const list = async () => await refusal(clients.ecs.listServices({ cluster: 'agents' }));

test('a key that AWS does not accept, a missing cluster, a wrong request and a fault of AWS are told apart', async () => {
  says('UnrecognizedClientException', 'The security token included in the request is invalid.');
  expect(await list()).toMatchObject({ code: 'engine_unavailable', detail: expect.stringContaining('access key') });
  says('ClusterNotFoundException', 'Cluster not found.');
  expect(await list()).toMatchObject({ code: 'engine_unavailable', detail: expect.stringContaining('cluster') });
  says('InvalidParameterException', `Max results is wrong. ${'x'.repeat(5000)}`);
  const wrong = await list();
  expect(wrong).toMatchObject({ code: 'start_failed', detail: expect.stringContaining('Max results is wrong') });
  expect(String(wrong).length).toBeLessThan(2000);
  says('ServerException', 'Internal', 500);
  expect(await list()).toMatchObject({ code: 'engine_unavailable', detail: expect.stringContaining('fault') });
}, 20_000);

test('a target without a key, on a machine without an identity, says which credential is missing', () => {
  const none = Object.assign(new Error('Could not load credentials from any providers'), {
    name: 'CredentialsProviderError',
  });
  expect(problemOf(none, 'ListServices')).toMatchObject({
    code: 'engine_unavailable',
    detail: 'The target has no access key, and the machine of the service has no identity in AWS.',
  });
});

test('a thing that is missing keeps the name by which it is asked for', async () => {
  says('ResourceNotFoundException', 'There is no such stream.');
  const reading = clients.logs.getLogEvents({ logStreamName: 'a' });
  expect(await refusal(reading)).toMatchObject({ name: 'ResourceNotFoundException' });
});

test('a refusal of a secret does not repeat its value, and no refusal has the key', async () => {
  const value = 'the value of a secret';
  says('ValidationException', `Value '${value}' at 'secretString' failed to satisfy the constraint`);
  const writing = clients.secrets.putSecretValue({ SecretId: 'a', SecretString: value });
  const refused = await refusal(writing);
  expect(refused).toMatchObject({ code: 'start_failed', detail: expect.stringContaining('PutSecretValue') });
  expect(`${String(refused)} ${JSON.stringify(refused)}`).not.toMatch(/the value of a secret|the secret of the key/);
});

test('an answer that is not from AWS, and no answer, are problems of the target', async () => {
  answer = { status: 200, body: '<html>sign in</html>' };
  expect(await list()).toMatchObject({ code: 'engine_unavailable' });
  const nowhere = await openClients({
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:9',
    credentials: { accessKeyId: 'AKIA0000000000000000', secretAccessKey: 'x' },
  });
  expect(await refusal(nowhere.ecs.listServices({}))).toMatchObject({
    code: 'engine_unavailable',
    detail: 'AWS does not answer (ECONNREFUSED).',
  });
}, 30_000);
