import type { Handlers } from '../../governance/http/handlers.ts';
import { showHome, type HomeParts } from './show.ts';

export function homeRoutes(parts: HomeParts): Handlers<'home'> {
  return { 'home.show': async ({ caller, query }) => await showHome(parts, caller, query) };
}
