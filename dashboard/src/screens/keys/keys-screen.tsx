import './keys.css';
import { listKeys } from '../../api/keys.ts';
import type { ApiKey } from '../../api/client/wire.ts';
import { counted, dayOf, fullTime } from '../../format.ts';
import { query, closeQuery, setQuery } from '../../router.ts';
import { mayAs, planHas } from '../../state/session.ts';
import { type Resource, useResource } from '../../state/resource/use-resource.ts';
import { websites } from '../../state/websites.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { OwnersOnly, PlanNeeded, PlanNotice } from '../../ui/page/plan-needed.tsx';
import { NewButton, ResourceList, ResourceScreen } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import { Time } from '../../ui/text/time.tsx';
import { RenameKey, RevokeKey, RollKey } from './change-key.tsx';
import { isWorking, reachOf, SCOPE_LABEL, stateOf } from './key-state.ts';
import { NewKey } from './new-key.tsx';

const TEXTS = {
  title: 'API keys',
  lead: 'Use API keys to import, export, deploy and read reports from your own programs.',
};
const NEW = { label: 'New API key', name: 'key' };

/** The API keys of the account; only owners manage them. */
export function KeysScreen() {
  const ask = 'Ask an owner of this account to create a key.';
  return mayAs('owner') ? <Keys /> : <OwnersOnly {...TEXTS} icon="key" can="manage API keys" more={ask} />;
}

function Keys() {
  const keys = useResource('keys', async (signal) => (await listKeys(signal)).api_keys);
  // Only on plans with API access: keys of other plans are rejected.
  const creation = planHas('apiAccess')
    ? { ...NEW, dialog: (close: () => void) => <NewKey onCreated={keys.reload} onClose={close} /> }
    : undefined;
  return (
    <ResourceScreen {...TEXTS} creation={creation}>
      <KeyList keys={keys} creation={creation} />
      <KeyDialog keys={keys} />
    </ResourceScreen>
  );
}

/** The dialog of a key that the query names. */
function KeyDialog({ keys }: { keys: Resource<ApiKey[]> }) {
  const named = (action: string): ApiKey | undefined =>
    keys.data.value?.find(({ id }) => id === query.value.get(action));
  const dialog = (action: string) => ({ onChanged: keys.reload, onClose: () => closeQuery(action) });
  const [renamed, rolled, revoked] = [named('rename'), named('roll'), named('revoke')];
  if (renamed) return <RenameKey apiKey={renamed} {...dialog('rename')} />;
  // Also if the key is revoked: rolling it has done so, and the dialog still shows the new key.
  if (rolled && planHas('apiAccess')) return <RollKey apiKey={rolled} {...dialog('roll')} />;
  return revoked && isWorking(revoked) ? <RevokeKey apiKey={revoked} {...dialog('revoke')} /> : null;
}

/** Active keys, or revoked and expired ones. After a downgrade, existing keys can be viewed and revoked. */
function KeyList({ keys, creation }: { keys: Resource<ApiKey[]>; creation: typeof NEW | undefined }) {
  const isEnded = query.value.get('show') === 'ended';
  const { data } = keys;
  const all = data.value ?? [];
  const working = all.filter(isWorking);
  const ended = all.filter((key) => !isWorking(key));
  return (
    <>
      {all.length > 0 && !creation && (
        <PlanNotice feature="apiAccess" effect="Requests with these keys are rejected: API keys" still="revoke them" />
      )}
      {(ended.length > 0 || isEnded) && (
        <Tabs
          label="Keys"
          tabs={[
            { href: '/account/keys', isCurrent: !isEnded, label: `Active (${working.length})` },
            { href: '?show=ended', isCurrent: isEnded, label: `Revoked and expired (${ended.length})` },
          ]}
        />
      )}
      <ResourceList
        list={keys}
        rows={isEnded ? ended : working}
        headings={['Key', 'Scope', 'Use', '']}
        class="key-list"
        keyOf={({ id }) => id}
        cells={(key) => <KeyCells apiKey={key} successor={all.find(({ id }) => id === key.replaced_by)} />}
        empty={
          all.length === 0 ? (
            <NoKey creation={creation} />
          ) : (
            <Empty
              icon="key"
              title={isEnded ? 'No revoked or expired keys' : 'No active keys'}
              actions={<NewButton of={creation} />}
            >
              {isEnded ? '' : `${counted(ended.length, 'key is', 'keys are')} revoked or expired.`}
            </Empty>
          )
        }
      />
    </>
  );
}

function NoKey({ creation }: { creation: typeof NEW | undefined }) {
  if (!creation) return <PlanNeeded feature="apiAccess" />;
  return (
    <Empty icon="key" title="No API keys yet" actions={<NewButton of={creation} />}>
      Create one key per program, so that you can revoke each separately.
    </Empty>
  );
}

const BADGES = {
  revoked: <span class="badge danger">Revoked</span>,
  expired: <span class="badge danger">Expired</span>,
  ending: <span class="badge warn">Expires soon</span>,
  replaced: <span class="badge">Replaced</span>,
  working: null,
};

function KeyCells({ apiKey, successor }: { apiKey: ApiKey; successor: ApiKey | undefined }) {
  const { id, key_end: end, name, scope, created_at: created, created_by: creator, last_used_at: used } = apiKey;
  return (
    <>
      <div class="row-name">
        <strong class="break">{name}</strong>
        <span class="mono small muted truncate">
          {end !== null && `dtr_…${end} · `}
          {id}
        </span>
        <span class="small muted break">{reachOf(apiKey, websites.value ?? [])}</span>
      </div>
      <div class="row wrap">
        <span class={scope === 'write' ? 'badge violet' : 'badge'}>{SCOPE_LABEL[scope]}</span>
        {BADGES[stateOf(apiKey)]}
      </div>
      <div class="small muted stack gap-0">
        {used === null ? (
          <span>Never used</span>
        ) : (
          <span>
            Last used <Time at={used} />
            {scope === 'write' && (
              <>
                {' · '}
                <a href={`/activity?${new URLSearchParams({ actor: name }).toString()}`}>Its changes</a>
              </>
            )}
          </span>
        )}
        <span>
          Created <Time at={created} />
          {creator && ` by ${creator.email ?? 'the operator'}`}
        </span>
        {successor && <span>Replaced by {<span class="mono">dtr_…{successor.key_end}</span>}</span>}
        <Expiry apiKey={apiKey} />
      </div>
      {isWorking(apiKey) && (
        <span class="actions">
          <IconButton icon="edit" size="small" label={`Rename ${name}`} onClick={() => setQuery({ rename: id })} />
          {planHas('apiAccess') && (
            <Button size="small" aria-label={`Roll ${name}`} onClick={() => setQuery({ roll: id })}>
              Roll
            </Button>
          )}
          <Button kind="danger" size="small" aria-label={`Revoke ${name}`} onClick={() => setQuery({ revoke: id })}>
            Revoke
          </Button>
        </span>
      )}
    </>
  );
}

function Expiry({ apiKey }: { apiKey: ApiKey }) {
  const { expires_at: expires, revoked_at: revoked } = apiKey;
  if (revoked !== null) return <span>Revoked {<Time at={revoked} />}</span>;
  if (expires === null) return <span>No expiration</span>;
  return (
    <span title={fullTime(expires)}>
      {stateOf(apiKey) === 'expired' ? 'Expired' : 'Expires'} {dayOf(expires)}
    </span>
  );
}
