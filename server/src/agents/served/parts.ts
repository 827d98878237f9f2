import type { RecordRefusal } from '../../governance/access/refused.ts';
import type { Ingress } from '../invoke/ingress.ts';

export interface ServedParts {
  ingress: Ingress;
  recordRefusal: RecordRefusal;
  onError: (error: unknown) => void;
}
