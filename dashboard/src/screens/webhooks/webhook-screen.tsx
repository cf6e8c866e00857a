import './webhooks.css';
import { fetchWebhook, updateWebhook } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/client/wire.ts';
import { type Params, query, closeQuery, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { mayChange, maySee } from './webhook-form.tsx';
import { Deliveries } from './deliveries.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { Facts } from './facts.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WebhooksNotice, WebhooksScreen } from './webhooks-screen.tsx';
import { toast, toastError } from '../../state/toasts.ts';

const REFRESH_MS = 5_000;

/** A webhook: receiver health, deliveries and actions. */
export function WebhookScreen({ params }: { params: Params }) {
  const id = params['webhookId'] ?? '';
  return maySee() ? <OneWebhook key={id} id={id} /> : <WebhooksScreen />;
}

function OneWebhook({ id }: { id: string }) {
  const found = useResource(`webhook:${id}`, async (signal) => (await fetchWebhook(id, signal)).webhook, {
    everyMs: REFRESH_MS,
  });
  if (found.error.value?.status === 404) return <WebhookNotFound />;
  const show = (changed: Webhook): void => void (found.data.value = changed);
  return (
    <Page
      title={found.data.value?.name ?? 'Webhook'}
      lead={
        <>
          <a href="/webhooks">All webhooks</a>
          {' · '}
          <span class="mono break">{found.data.value?.url}</span>
        </>
      }
      actions={found.data.value && <Actions webhook={found.data.value} show={show} />}
    >
      <Loaded of={found} lines={8} height={22}>
        {(webhook) => (
          <>
            <WebhooksNotice />
            <Facts webhook={webhook} onActivate={() => void setActive(webhook, true, show)} />
            <Deliveries webhook={webhook} />
            <DeliveryPanel webhook={webhook} />
            <WebhookDialog
              name={query.value.get('do')}
              webhook={webhook}
              show={show}
              onClose={() => closeQuery('do')}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function WebhookNotFound() {
  return (
    <Page title="Webhook">
      <Empty icon="missing" title="Webhook not found" actions={<LinkButton href="/webhooks">All webhooks</LinkButton>}>
        It was deleted or belongs to another account.
      </Empty>
    </Page>
  );
}

const openDialog = (name: string) => (): void => setQuery({ do: name });

function Actions({ webhook, show }: { webhook: Webhook; show: (changed: Webhook) => void }) {
  const canChange = mayChange();
  useKeys(
    canChange
      ? [
          { keys: 't', label: 'Send test', run: openDialog('test') },
          { keys: 'e', label: 'Edit webhook', run: openDialog('edit') },
        ]
      : [],
  );
  if (!canChange) {
    return (
      <Button kind="danger" icon="trash" onClick={openDialog('delete')}>
        Delete webhook
      </Button>
    );
  }
  return (
    <>
      <Button kind="primary" keys="T" onClick={openDialog('test')}>
        Send test
      </Button>
      <Button icon="edit" onClick={openDialog('edit')}>
        Edit
      </Button>
      <Menu label="More" buttonClass="button icon-only" button={<Icon name="more" />}>
        <button type="button" onClick={() => void setActive(webhook, !webhook.is_active, show)}>
          <Icon name={webhook.is_active ? 'close' : 'check'} />
          {webhook.is_active ? 'Disable' : 'Enable'}
        </button>
        {webhook.is_active && (
          <button type="button" onClick={openDialog('replay')}>
            <Icon name="undo" /> Replay events
          </button>
        )}
        <button type="button" onClick={openDialog('rotate')}>
          <Icon name="keys" /> Rotate secret
        </button>
        <hr />
        <button type="button" onClick={openDialog('delete')}>
          <Icon name="trash" /> Delete webhook
        </button>
      </Menu>
    </>
  );
}

const ENABLED = 'Webhook enabled. Pending deliveries are sent.';
const DISABLED = 'Webhook disabled. Pending deliveries are on hold.';

async function setActive({ id }: Webhook, isActive: boolean, show: (changed: Webhook) => void): Promise<void> {
  try {
    const { webhook } = await updateWebhook(id, { is_active: isActive });
    show(webhook);
    toast(isActive ? ENABLED : DISABLED, {
      label: 'Undo',
      run: () => void setActive(webhook, !isActive, show),
    });
  } catch (thrown) {
    toastError(thrown, isActive ? 'Could not enable the webhook' : 'Could not disable the webhook');
  }
}
