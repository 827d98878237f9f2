// What a caller has of this process beside others. docs/decisions/0063 has the reasons of the numbers.
import { bodyPace, type BodyPace } from './body-pace.ts';
import { sharers, type Sharer } from './sharer.ts';
import type { Sender } from '../request/session-cookie.ts';
import { workPlaces, type WorkPlaces } from './work-places.ts';

export interface FairShares {
  sharerOf: (sender: Sender) => Sharer;
  places: WorkPlaces;
  paceBody: BodyPace;
}

const most_working = 2;
/** One caller's part of the connections of the process. */
const part_open = 1 / 4;
const body_bytes_per_second = 8 * 1024 * 1024;
const longest_body_wait_ms = 30_000;

export function fairShares({ max_connections }: { max_connections: number }): FairShares {
  return {
    sharerOf: sharers(),
    places: workPlaces({ most_working, most_open: Math.ceil(max_connections * part_open) }),
    paceBody: bodyPace({ bytes_per_second: body_bytes_per_second, longest_wait_ms: longest_body_wait_ms }),
  };
}
