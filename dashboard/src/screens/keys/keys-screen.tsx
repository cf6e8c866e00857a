import './keys.css';
import { listKeys, revokeKey } from '../../api/keys.ts';
import type { ApiKey } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { query, closeQuery, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayAs, planHas } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { currentPlan, PlanNeeded, requiredPlan } from '../../ui/plan-needed.tsx';
import { Empty, Notice, Problem, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { isWorking } from './key-state.ts';
import { KeyRow } from './key-row.tsx';
import { NewKey } from './new-key.tsx';

const LEAD = 'Use API keys to import, export, deploy and read reports from your own programs.';
const start = (): void => setQuery({ new: 'key' });

/** Offered only on plans with API access: keys of other plans are rejected. */
const mayCreate = (): boolean => planHas('apiAccess');

/** The API keys of the account; only owners manage them. */
export function KeysScreen() {
  return mayAs('owner') ? <Keys /> : <OwnersOnly />;
}

function OwnersOnly() {
  return (
    <Page title="API keys" lead={LEAD}>
      <Empty icon="key" title="Only owners can manage API keys">
        Ask an owner of this account to create a key.
      </Empty>
    </Page>
  );
}

function Keys() {
  const keys = useResource('keys', (signal) => listKeys(signal));
  const list = keys.data.value?.api_keys;
  const error = keys.error.value;
  const revoked = list?.find(({ id }) => id === query.value.get('revoke'));
  useKeys(mayCreate() ? [{ keys: 'n', label: 'New API key', run: start }] : []);
  return (
    <Page title="API keys" lead={LEAD} actions={mayCreate() && <NewButton keys="N" />}>
      {error && <Problem error={error} onRetry={keys.reload} />}
      {!list && !error && <Skeleton lines={6} height={22} />}
      {list?.length === 0 && <NoKey />}
      {list && list.length > 0 && <KeyList list={list} />}
      {query.value.get('new') === 'key' && mayCreate() && (
        <NewKey onCreated={keys.reload} onClose={() => closeQuery('new')} />
      )}
      {revoked && isWorking(revoked) && <Revoke apiKey={revoked} onRevoked={keys.reload} />}
    </Page>
  );
}

function NewButton({ keys }: { keys?: string }) {
  return (
    <Button kind="primary" icon="plus" {...(keys && { keys })} onClick={start}>
      New API key
    </Button>
  );
}

function NoKey() {
  if (!mayCreate()) return <PlanNeeded feature="apiAccess" />;
  return (
    <Empty icon="key" title="No API keys yet" actions={<NewButton />}>
      Create one key per program, so that you can revoke each separately.
    </Empty>
  );
}

/** Active keys, or revoked and expired ones. */
function KeyList({ list }: { list: ApiKey[] }) {
  const isEnded = query.value.get('show') === 'ended';
  const working = list.filter(isWorking);
  const ended = list.filter((key) => !isWorking(key));
  const shown = isEnded ? ended : working;
  return (
    <>
      {!mayCreate() && <PlanNotice />}
      {(ended.length > 0 || isEnded) && (
        <Tabs
          label="Keys"
          tabs={[
            { href: '/account/keys', isCurrent: !isEnded, label: `Active (${working.length})` },
            { href: '?show=ended', isCurrent: isEnded, label: `Revoked and expired (${ended.length})` },
          ]}
        />
      )}
      {shown.length > 0 ? (
        <ul class="card key-list">
          {shown.map((key) => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </ul>
      ) : (
        <Empty
          icon="key"
          title={isEnded ? 'No revoked or expired keys' : 'No active keys'}
          actions={mayCreate() && <NewButton />}
        >
          {isEnded ? '' : `${counted(ended.length, 'key is', 'keys are')} revoked or expired.`}
        </Empty>
      )}
    </>
  );
}

/** After a downgrade, existing keys can be viewed and revoked. They are valid again after an upgrade. */
function PlanNotice() {
  return (
    <Notice>
      Requests with these keys are rejected: API keys require the {requiredPlan('apiAccess')} plan, and this account is
      on the {currentPlan()} plan. You can still revoke them.
    </Notice>
  );
}

function Revoke({ apiKey: { id, name }, onRevoked }: { apiKey: ApiKey; onRevoked: () => void }) {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      verb="Revoke key"
      onConfirm={async () => {
        await revokeKey(id);
        onRevoked();
        toast(`${name} revoked`);
      }}
      onClose={() => closeQuery('revoke')}
    >
      Within a second, requests with this key fail with 401. This cannot be undone. Create a new key to replace it.
    </Confirm>
  );
}
