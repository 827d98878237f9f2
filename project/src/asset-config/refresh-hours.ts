import { z } from 'zod';

export const refreshHours = z
  .int()
  .min(1)
  .max(8760)
  .describe('It is refreshed so many hours after its last refresh, with the rights of its owner');
