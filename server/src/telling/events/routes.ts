import { streams_per_caller } from '@gantry/contract/telling/events.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { whileAllowed } from '../../governance/http/answer/while-allowed.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { openFeed, type FeedParts } from './feed.ts';
import { followChanges } from './follow-changes.ts';
import { streamPlaces } from './stream-places.ts';

export function eventsRoutes(parts: FeedParts): Handlers<'events'> {
  const feed = openFeed(parts);
  const places = streamPlaces(streams_per_caller);
  return {
    'events.follow': async ({ caller, callerNow, headers, signal }) => {
      const { id } = reader(caller);
      places.requireFree(id);
      const readerNow = async () => reader(await callerNow());
      const from = headers.get('last-event-id') ?? undefined;
      const open = async (until: AbortSignal) => followChanges(parts.db, feed, { readerNow, from, signal: until });
      return places.during(id, await whileAllowed({ decide: readerNow, signal }, open));
    },
  };
}

function reader(caller: Caller): SignedInCaller {
  const user = signedIn(caller);
  authorize(user, 'event.read', theOrg);
  return user;
}
