// One operation of an OpenAPI document as the config of an `http` tool. What the service cannot send is left out when the operation works without it, and
// refused otherwise.
import type { z } from 'zod';
import type { tool } from '../asset-config/tool.ts';
import { isFreeHeader } from '../http-tool/places.ts';
import { follow, listOf, objectOf, OpenApiFault, textOf, type Json, type OpenApiDocument } from './document.ts';
import { parametersOf, type Operation } from './operations.ts';
import { schemaReader, type SchemaReader } from './schema.ts';

type ToolConfig = z.input<typeof tool>;

interface Wish {
  /** In place of the servers of the document. */
  server: string | undefined;
  /** Servers of the document can be relative to it. */
  document_url: string | undefined;
  secret: string | undefined;
  secret_header: string | undefined;
}

export interface ImportedTool {
  config: ToolConfig;
  /** What was left out, one sentence each. */
  left_out: string[];
}

const longest_description = 4000;

/** Throws `OpenApiFault`. */
export function toolOfOperation(document: OpenApiDocument, operation: Operation, wish: Wish): ImportedTool {
  const { method, path } = operation;
  const left_out: string[] = [];
  const reader = schemaReader(document);
  const properties: Record<string, Json> = {};
  const places: Record<string, 'query' | 'header' | 'body'> = {};
  const required: string[] = [];
  for (const given of parametersOf(document, operation)) {
    const name = textOf(given['name']) ?? '';
    const place = textOf(given['in']) ?? '';
    if (place === 'header' && /^(?:accept|content-type|authorization)$/i.test(name)) continue;
    const isNeeded = given['required'] === true || place === 'path';
    const why = Object.hasOwn(properties, name) ? 'has the name of another parameter' : whyNot(given, { name, place });
    if (why !== undefined) {
      const sentence = `The parameter ${name.slice(0, 100)} in ${place.slice(0, 20)} ${why}`;
      if (isNeeded) throw new OpenApiFault(`${sentence}, and the operation needs it.`);
      left_out.push(`${sentence}.`);
      continue;
    }
    properties[name] = parameterSchema(reader, given);
    if (isNeeded) required.push(name);
    if (place === 'header') places[name] = 'header';
    if (place === 'query' && method !== 'GET' && method !== 'DELETE') places[name] = 'query';
  }
  const body = bodyOf(document, operation, left_out);
  if (body !== undefined) {
    const name = Object.hasOwn(properties, 'body') ? 'request_body' : 'body';
    properties[name] = reader.read(body.schema);
    places[name] = 'body';
    if (body.isNeeded) required.push(name);
  }
  const returns = returnsOf(document, operation);
  const config: ToolConfig = {
    type: 'http',
    description: descriptionOf(operation),
    method,
    url: baseOf(document, operation, wish) + path,
    parameters: {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...withDefs(reader),
    },
    ...(returns !== undefined && { returns }),
    ...(Object.keys(places).length > 0 && { places }),
    ...(wish.secret !== undefined && { secret: wish.secret }),
    ...(wish.secret_header !== undefined && { secret_header: wish.secret_header }),
  };
  return { config, left_out };
}

const withDefs = (reader: SchemaReader) => (Object.keys(reader.defs()).length === 0 ? {} : { $defs: reader.defs() });

/** Why the service cannot send it. */
function whyNot(given: Json, { name, place }: { name: string; place: string }): string | undefined {
  if (!['path', 'query', 'header'].includes(place)) return 'cannot be sent';
  if (name === '' || name.length > 100) return 'has no usable name';
  if (place === 'header' && !isFreeHeader(name)) return 'is a header that the service sets itself';
  const usual = place === 'query' ? 'form' : 'simple';
  const isUsual =
    [undefined, usual].includes(textOf(given['style'])) && (place !== 'query' || given['explode'] !== false);
  return isUsual ? undefined : 'is written in a style that the service does not write';
}

function parameterSchema(reader: SchemaReader, given: Json): Json {
  const [content] = Object.values(objectOf(given['content']) ?? {});
  const schema = reader.read(given['schema'] ?? objectOf(content)?.['schema'] ?? {});
  const description = textOf(given['description']);
  return description === undefined ? schema : { ...schema, description: description.slice(0, 1000) };
}

function bodyOf(
  document: OpenApiDocument,
  { definition, method }: Operation,
  left_out: string[],
): { schema: unknown; isNeeded: boolean } | undefined {
  const given = follow(document, definition['requestBody']);
  if (given === undefined || method === 'GET' || method === 'DELETE') return undefined;
  const isNeeded = given['required'] === true;
  const media = jsonOf(given['content']);
  if (media !== undefined) return { schema: media['schema'] ?? {}, isNeeded };
  if (isNeeded) throw new OpenApiFault('Its body is not JSON, and the operation needs it.');
  left_out.push('Its body is not JSON.');
  return undefined;
}

/** Of the first answer that means success. Undefined without a schema: then an agent gets the whole answer. */
function returnsOf(document: OpenApiDocument, { definition }: Operation): Json | undefined {
  const answers = Object.entries(objectOf(definition['responses']) ?? {}).filter(([status]) =>
    /^2(?:\d\d|XX)$/.test(status),
  );
  const [first] = answers.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const schema = first && jsonOf(follow(document, first[1])?.['content'])?.['schema'];
  if (schema === undefined) return undefined;
  const reader = schemaReader(document);
  return { ...reader.read(schema), ...withDefs(reader) };
}

function jsonOf(content: unknown): Json | undefined {
  const found = Object.entries(objectOf(content) ?? {}).find(([type]) =>
    /^application\/(?:[\w.-]+\+)?json\b/i.test(type),
  );
  return found && objectOf(found[1]);
}

function descriptionOf({ definition, id }: Operation): string {
  const parts = [textOf(definition['summary']), textOf(definition['description'])].filter((part) => part !== undefined);
  // Control characters hide text from a reader.
  const written = [...new Set(parts)]
    .join('\n\n')
    .replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, '')
    .toWellFormed()
    .trim();
  return (written === '' ? id : written).slice(0, longest_description).toWellFormed();
}

/** Without a slash at its end. Throws `OpenApiFault`. */
function baseOf(
  { root }: OpenApiDocument,
  { definition, of_path }: Operation,
  { server: given, document_url }: Wish,
): string {
  const servers = [definition, of_path, root].map((one) => listOf(one['servers'])).find((list) => list.length > 0);
  const server = given === undefined ? objectOf(servers?.[0]) : { url: given };
  const variables = objectOf(server && 'variables' in server ? server.variables : undefined) ?? {};
  const written = (textOf(server?.['url']) ?? '/').replaceAll(
    /\{([^{}]{1,100})\}/g,
    (_, name: string) => textOf(objectOf(variables[name])?.['default']) ?? '',
  );
  const url = URL.parse(written, document_url);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OpenApiFault('The document does not say at which address its operations are. Give it: --server.');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Lower case with hyphens, as names of assets are. */
export function toolNameOf({ id }: Pick<Operation, 'id'>, prefix: string): string {
  const words = id
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return (prefix + words.replace(/^-|-$/g, '')).slice(0, 63).replace(/-$/, '');
}
