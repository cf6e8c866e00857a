import type { ApiKey } from '../../api/wire.ts';
import { dayOf, fullTime } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { isWorking, reachOf, SCOPE_LABEL, stateOf } from './key-state.ts';

export function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, scope, created_at: created, created_by: creator, last_used_at: used } = apiKey;
  return (
    <li>
      <div class="key-name">
        <strong class="break">{name}</strong>
        <span class="mono small muted truncate">{id}</span>
        <span class="small muted break">{reachOf(apiKey, websites.value ?? [])}</span>
      </div>
      <div class="key-badges">
        <span class={scope === 'write' ? 'badge violet' : 'badge'}>{SCOPE_LABEL[scope]}</span>
        <StateBadge apiKey={apiKey} />
      </div>
      <div class="small muted key-facts">
        <span>{used === null ? 'Never used' : <>Last used {<Time at={used} />}</>}</span>
        <span>
          Created <Time at={created} />
          {creator && ` by ${creator.email ?? 'the operator'}`}
        </span>
        <Expiry apiKey={apiKey} />
      </div>
      {isWorking(apiKey) && (
        <Button kind="danger" size="small" aria-label={`Revoke ${name}`} onClick={() => setQuery({ revoke: id })}>
          Revoke
        </Button>
      )}
    </li>
  );
}

function StateBadge({ apiKey }: { apiKey: ApiKey }) {
  const state = stateOf(apiKey);
  if (state === 'revoked') return <span class="badge danger">Revoked</span>;
  if (state === 'expired') return <span class="badge danger">Expired</span>;
  return state === 'ending' ? <span class="badge warn">Expires soon</span> : null;
}

function Expiry({ apiKey: { expires_at: expires, revoked_at: revoked } }: { apiKey: ApiKey }) {
  if (revoked !== null) {
    return (
      <span>
        Revoked <Time at={revoked} />
      </span>
    );
  }
  if (expires === null) return <span>No expiration</span>;
  return (
    <span title={fullTime(expires)}>
      {stateOf({ expires_at: expires, revoked_at: null }) === 'expired' ? 'Expired' : 'Expires'} {dayOf(expires)}
    </span>
  );
}
