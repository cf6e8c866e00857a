import './webhooks.css';
import { listWebhooks } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/wire.ts';
import { counted, number } from '../../format.ts';
import { go, query, closeQuery, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { useResource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { PlanNeeded } from '../../ui/plan-needed.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { mayChange, maySee } from './access.ts';
import { HealthBadge } from './health.tsx';
import { NewWebhook } from './new-webhook.tsx';
import { PlanNotice } from './plan-notice.tsx';

const LEAD = 'Notify other systems of changes, deployments and imports.';
const REFRESH_MS = 10_000;
const start = (): void => setQuery({ new: 'webhook' });

/** The webhooks of the account and their health. */
export function WebhooksScreen() {
  return maySee() ? <Webhooks /> : <OwnersOnly />;
}

function OwnersOnly() {
  return (
    <Page title="Webhooks" lead={LEAD}>
      <Empty icon="webhooks" title="Only owners can view webhooks">
        Webhook URLs may contain secrets. Ask an owner of this account.
      </Empty>
    </Page>
  );
}

function Webhooks() {
  const webhooks = useResource('webhooks', (signal) => listWebhooks(signal), { everyMs: REFRESH_MS });
  const { data, error } = webhooks;
  const list = data.value?.webhooks;
  useKeys(mayChange() ? [{ keys: 'n', label: 'New webhook', run: start }] : []);
  return (
    <Page
      title="Webhooks"
      lead={LEAD}
      actions={
        mayChange() && (
          <Button kind="primary" icon="plus" keys="N" onClick={start}>
            New webhook
          </Button>
        )
      }
    >
      {error.value && <Problem error={error.value} onRetry={webhooks.reload} />}
      {!list && !error.value && <Skeleton lines={6} height={22} />}
      {list?.length === 0 && <NoWebhook />}
      {list && list.length > 0 && (
        <>
          <PlanNotice />
          <ul class="card row-list webhook-list">
            {list.map((webhook) => (
              <Row key={webhook.id} webhook={webhook} />
            ))}
          </ul>
        </>
      )}
      {query.value.get('new') === 'webhook' && mayChange() && (
        <NewWebhook onCreated={({ id }) => go(`/webhooks/${id}`)} onClose={() => closeQuery('new')} />
      )}
    </Page>
  );
}

function NoWebhook() {
  if (!mayChange()) return <PlanNeeded feature="webhooks" />;
  return (
    <Empty
      icon="webhooks"
      title="No webhooks yet"
      actions={
        <Button kind="primary" icon="plus" onClick={start}>
          New webhook
        </Button>
      }
    >
      Enter a URL and choose its events. Failed deliveries are retried for about eight days.
    </Empty>
  );
}

function Row({ webhook }: { webhook: Webhook }) {
  const { id, name, url, events, pending, last_success_at: last } = webhook;
  return (
    <li>
      <div class="webhook-name">
        <a class="break" href={`/webhooks/${id}`}>
          {name}
        </a>
        <span class="mono small muted truncate" title={url}>
          {url}
        </span>
      </div>
      <div>
        <HealthBadge webhook={webhook} />
      </div>
      <div class="small muted webhook-facts">
        <span title={events.join(', ')}>{counted(events.length, 'event type')}</span>
        {pending > 0 && <span>{number(pending)} pending</span>}
        {last !== null && (
          <span>
            Delivered <Time at={last} />
          </span>
        )}
      </div>
    </li>
  );
}
