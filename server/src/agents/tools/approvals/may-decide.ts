// Who decides about a call that waits: an admin of the server's team, and of the platform. Never the end caller, where the rule says so. An agent and a
// service principal never do.
import { authorize, Refusal, type Grant } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';

interface AboutCall {
  by_other: boolean;
  caller_id: string;
}

/** Throws the refusal. A server that the person may not read has no calls for them. */
export function authorizeDecision(
  user: SignedInCaller,
  server: AssetRecord,
  { by_other, caller_id }: AboutCall,
): Grant<'tool_call.decide'> {
  authorize(user, 'asset.read', server);
  const grant = authorize(user, 'tool_call.decide', server);
  if (by_other && caller_id === user.id)
    throw new Refusal(
      { code: 'own_request', reason: 'This call is made for you, and another admin must decide about it.' },
      'tool_call.decide',
      server,
    );
  return grant;
}
