import './keys.css';
import { cheapestPlanWith } from '../../../../src/vocabulary/plan.ts';
import { listKeys, revokeKey } from '../../api/keys.ts';
import type { ApiKey } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { user } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { PlanNeeded } from '../../ui/plan-needed.tsx';
import { Empty, Notice, Problem, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { mayCreate, maySee } from './access.ts';
import { KeyRow } from './key-row.tsx';
import { isWorking } from './key-state.ts';
import { NewKey } from './new-key.tsx';

const LEAD = 'With a key a program imports, exports, deploys and reads reports.';
const start = (): void => setQuery({ new: 'key' });

/** What programs sign in with. */
export function KeysScreen() {
  return maySee() ? <Keys /> : <OwnersOnly />;
}

function OwnersOnly() {
  return (
    <Page title="API keys" lead={LEAD}>
      <Empty icon="key" title="API keys are the owner's">
        A key may do more than you may. Ask an owner of this account for one.
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
        <NewKey onCreated={keys.reload} onClose={() => setQuery({ new: undefined })} />
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
    <Empty icon="key" title="No API key yet" actions={<NewButton />}>
      A key is for one program, and can be revoked alone. What people do, they do here.
    </Empty>
  );
}

/** Those that count, or those that do no longer. */
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
            { href: '/account/keys', isHere: !isEnded, label: `In use (${working.length})` },
            { href: '?show=ended', isHere: isEnded, label: `Revoked and expired (${ended.length})` },
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
          title={isEnded ? 'No key has ended' : 'No key is in use'}
          actions={mayCreate() && <NewButton />}
        >
          {isEnded ? '' : `${counted(ended.length, 'key was', 'keys were')} revoked or expired.`}
        </Empty>
      )}
    </>
  );
}

/** After a downgrade: what there is can be read and revoked, and counts again after an upgrade. */
function PlanNotice() {
  return (
    <Notice>
      Calls with a key are refused: API keys come with the plan {cheapestPlanWith('apiAccess')}, and this
      account has the plan {user.value?.plan}. You can still revoke them.
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
        toast(`${name} is revoked`);
      }}
      onClose={() => setQuery({ revoke: undefined })}
    >
      Within a second whatever uses it is refused with 401. This cannot be undone; a new key can take its
      place.
    </Confirm>
  );
}
