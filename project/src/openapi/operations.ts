// The operations of an OpenAPI document that can become tools.
import { follow, listOf, objectOf, textOf, type Json, type OpenApiDocument } from './document.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export interface Operation {
  /** Its operationId; without one, the method and the path. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  isDeprecated: boolean;
  /** As the document has it. */
  definition: Json;
  /** What it shares with the others of its path. */
  of_path: Json;
}

const most_operations = 2000;

/** In the order of the document. Throws `OpenApiFault`. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const paths = Object.entries(objectOf(document.root['paths']) ?? {});
  return paths
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, item]) => {
      const of_path = follow(document, item) ?? {};
      return methods.flatMap((name) => {
        const definition = objectOf(of_path[name]);
        return definition === undefined ? [] : [operation({ name, path, of_path, definition })];
      });
    })
    .slice(0, most_operations);
}

function operation({
  name,
  path,
  of_path,
  definition,
}: {
  name: (typeof methods)[number];
  path: string;
  of_path: Json;
  definition: Json;
}): Operation {
  const method = name.toUpperCase() as Operation['method']; // one of the five
  return {
    id: textOf(definition['operationId']) ?? `${method} ${path}`,
    method,
    path,
    summary: oneLine(textOf(definition['summary']) ?? textOf(definition['description']) ?? ''),
    isDeprecated: definition['deprecated'] === true,
    definition,
    of_path,
  };
}

/** The parameters of the path and of the operation, which wins. Throws `OpenApiFault`. */
export function parametersOf(document: OpenApiDocument, { definition, of_path }: Operation): Json[] {
  const all = [...listOf(of_path['parameters']), ...listOf(definition['parameters'])];
  const found = all.flatMap((one): Json[] => {
    const parameter = follow(document, one);
    return parameter === undefined ? [] : [parameter];
  });
  return [...new Map(found.map((one) => [`${textOf(one['in'])} ${textOf(one['name'])}`, one])).values()];
}

const oneLine = (written: string) => written.replace(/\s+/g, ' ').trim().slice(0, 200);
