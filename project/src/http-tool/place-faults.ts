// Faults of an `http` tool whose parameters and address do not fit together.
import { hasBody, isFreeHeader, namesInPath, placeOf, type PlacedTool } from './places.ts';

interface Placing extends PlacedTool {
  parameters: { properties?: Readonly<Record<string, unknown>> | undefined; required?: readonly string[] | undefined };
}

export interface PlaceFault {
  path: string[];
  message: string;
}

export function placeFaults(tool: Placing): PlaceFault[] {
  const { url = '', places = {}, parameters } = tool;
  const { properties = {}, required = [] } = parameters;
  const [, origin = '', rest = ''] = /^([a-z]+:\/\/[^/?#]*)(.*)$/i.exec(url) ?? [];
  const inPath = namesInPath(url);
  const query = rest.replace(/^[^?#]*/, '');
  const names = Object.keys(properties);
  const bodies = names.filter((name) => placeOf(name, tool) === 'body');
  const members = names.filter((name) => placeOf(name, tool) === 'member of the body');
  return [
    ...(/[{}]/.test(origin + query)
      ? [{ path: ['url'], message: 'has a parameter outside of its path; only the path can have one' }]
      : []),
    ...[...inPath]
      .filter((name) => !required.includes(name))
      .map((name) => ({ path: ['url'], message: `names {${name}}, which is no required parameter` })),
    ...Object.entries(places).flatMap(([name, place]) => {
      const at = ['places', name];
      if (!Object.hasOwn(properties, name)) return [{ path: at, message: 'is no parameter' }];
      if (inPath.has(name)) return [{ path: at, message: 'is in the path of `url`' }];
      if (place === 'header' && !isFreeHeader(name))
        return [{ path: at, message: 'is a header that the service sets itself, or no name of one' }];
      if (place === 'body' && !hasBody(tool)) return [{ path: at, message: 'cannot be the body of GET and DELETE' }];
      return [];
    }),
    ...(bodies.length > 1 ? [{ path: ['places'], message: 'names more than one parameter as the body' }] : []),
    ...(bodies.length === 1 && members.length > 0
      ? [{ path: ['places'], message: `must also place ${members[0]}, because another parameter is the whole body` }]
      : []),
  ];
}
