import type { ApiKey } from '../../api/wire.ts';
import { dayOf, fullTime } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { isWorking, SCOPE_WORDS, stateOf } from './key-state.ts';

/** One key: what it is for, what it may, and whether anything uses it. */
export function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, scope, created_at: created, last_used_at: used } = apiKey;
  return (
    <li>
      <div class="key-name">
        <strong class="break">{name}</strong>
        <span class="mono small muted truncate">{id}</span>
      </div>
      <div class="key-badges">
        <span class={scope === 'write' ? 'badge violet' : 'badge'}>{SCOPE_WORDS[scope]}</span>
        <StateBadge apiKey={apiKey} />
      </div>
      <div class="small muted key-facts">
        <span>{used === null ? 'never used' : <>used {<Time at={used} />}</>}</span>
        <span>
          made <Time at={created} />
        </span>
        <End apiKey={apiKey} />
      </div>
      {isWorking(apiKey) && (
        <Button
          kind="danger"
          size="small"
          aria-label={`Revoke ${name}`}
          onClick={() => setQuery({ revoke: id })}
        >
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

function End({ apiKey: { expires_at: expires, revoked_at: revoked } }: { apiKey: ApiKey }) {
  if (revoked !== null) {
    return (
      <span>
        revoked <Time at={revoked} />
      </span>
    );
  }
  if (expires === null) return <span>never expires</span>;
  return (
    <span title={fullTime(expires)}>
      {stateOf({ expires_at: expires, revoked_at: null }) === 'expired' ? 'expired' : 'expires'}{' '}
      {dayOf(expires)}
    </span>
  );
}
