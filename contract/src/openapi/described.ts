import type { Endpoint } from '../endpoint.ts';
import { endpoints } from '../endpoints.ts';

/** All that a client can ask for. What agents keep has no address but the door of the agents. */
export const describedEndpoints = Object.entries<Endpoint>(endpoints).filter(([, { surface }]) => surface !== 'memory');
