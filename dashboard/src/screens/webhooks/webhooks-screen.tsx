import './webhooks.css';
import { listWebhooks } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { go } from '../../router.ts';
import { planHas } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { OwnersOnly, PlanNeeded, PlanNotice } from '../../ui/page/plan-needed.tsx';
import { NewButton, ResourceList, ResourceScreen } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { eventsText, healthOf } from './labels.ts';
import { mayChange, maySee, NewWebhook } from './webhook-form.tsx';

const TEXTS = { title: 'Webhooks', lead: 'Notify other systems of changes, deployments and imports.' };
const REFRESH_MS = 10_000;
const NEW = { label: 'New webhook', name: 'webhook' };

/** The webhooks of the account and their health. */
export function WebhooksScreen() {
  const why = 'Webhook URLs may contain secrets. Ask an owner of this account.';
  return maySee() ? <Webhooks /> : <OwnersOnly {...TEXTS} icon="webhooks" can="view webhooks" more={why} />;
}

function Webhooks() {
  const webhooks = useResource('webhooks', async (signal) => (await listWebhooks(signal)).webhooks, {
    everyMs: REFRESH_MS,
  });
  const open = ({ id }: Webhook): void => go(`/webhooks/${id}`);
  const creation = mayChange()
    ? { ...NEW, dialog: (close: () => void) => <NewWebhook onCreated={open} onClose={close} /> }
    : undefined;
  return (
    <ResourceScreen {...TEXTS} creation={creation}>
      {webhooks.data.value?.length !== 0 && <WebhooksNotice />}
      <ResourceList
        list={webhooks}
        headings={['Webhook', 'State', 'Events', 'Deliveries']}
        class="webhook-list"
        keyOf={({ id }) => id}
        cells={(webhook) => <Cells webhook={webhook} />}
        empty={
          creation ? (
            <Empty icon="webhooks" title="No webhooks yet" actions={<NewButton of={creation} />}>
              Enter a URL and choose its events. Failed deliveries are retried for about eight days.
            </Empty>
          ) : (
            <PlanNeeded feature="webhooks" />
          )
        }
      />
    </ResourceScreen>
  );
}

/** After a downgrade, existing webhooks can be viewed and deleted, but nothing is sent. */
export function WebhooksNotice() {
  if (planHas('webhooks')) return null;
  return <PlanNotice feature="webhooks" effect="Nothing is sent: webhooks" still="read the log and delete webhooks" />;
}

function Cells({ webhook }: { webhook: Webhook }) {
  const { id, name, url, events, pending, last_success_at: last, failing_since: failing } = webhook;
  const [tone, health] = healthOf(webhook);
  return (
    <>
      <div class="row-name">
        <a class="break" href={`/webhooks/${id}`}>
          {name}
        </a>
        <span class="mono small muted truncate" title={url}>
          {url}
        </span>
      </div>
      <div>
        <span class={`badge ${tone}`}>{health}</span>
      </div>
      <div class="small muted" title={events.join(', ')}>
        {eventsText(events)}
      </div>
      <div class="small muted row-facts">
        {pending > 0 && <span>{counted(pending, 'delivery', 'deliveries')} pending</span>}
        {last !== null && (
          <span>
            Delivered <Time at={last} />
          </span>
        )}
        {webhook.is_active && failing !== null && (
          <span class="warned">
            Failing since <Time at={failing} />
          </span>
        )}
      </div>
    </>
  );
}
