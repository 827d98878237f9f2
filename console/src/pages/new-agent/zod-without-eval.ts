// Zod tries whether it may compile code; the content security policy reports the try. Imported before any schema.
import { config } from 'zod';

config({ jitless: true });
