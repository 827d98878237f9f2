import { useQuery } from '@tanstack/react-query';
import { ask } from './server.ts';

/** Who reads the page; undefined until the service has said it. */
export const useMe = () => useQuery(ask('auth.me', {})).data;
