// OpenAPI 3.1, made from the records that the server mounts.
import { headerParameters, headers } from './openapi/headers.ts';
import { describedEndpoints } from './openapi/described.ts';
import { nouns } from './openapi/nouns.ts';
import { operation, wrapperSchemas } from './openapi/operation.ts';
import { problemSchemas, sharedRefusals } from './openapi/refusals.ts';
import { componentSchemas, type Json } from './openapi/schemas.ts';

export function openapi(base_url: string, version: string): Json {
  const { paths, components } = (described ??= describe());
  return {
    openapi: '3.1.0',
    info: { title: 'Gantry', version, description: 'Deploys, governs and registers agents.' },
    servers: [{ url: base_url }],
    tags: nouns.map(({ tag, about }) => ({ name: tag, description: about })),
    paths,
    components,
  };
}

// The same for every installation, and a tenth of a second of work; it needs no sign-in.
let described: { paths: Json; components: Json } | undefined;

function describe(): { paths: Json; components: Json } {
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of describedEndpoints) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method.toLowerCase()] = operation(name, endpoint);
  }
  const components = {
    securitySchemes: { bearer },
    parameters: headerParameters,
    headers,
    schemas: { ...problemSchemas, ...wrapperSchemas, ...componentSchemas() },
    responses: sharedRefusals(),
  };
  return { paths, components };
}

const bearer: Json = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'The `access_token` of `auth.login`, or of `auth.exchange_key` for a service principal',
};
