import { deleteWebhook, replayWebhook, rotateSecret } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/client/wire.ts';
import { counted, DAY_MS, isoTime, localTime } from '../../format.ts';
import { go } from '../../router.ts';
import { toast } from '../../state/toasts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { TestWebhook } from './test-webhook.tsx';
import { type DialogProps, EditWebhook, mayChange, WebhookSecret } from './webhook-form.tsx';

export function WebhookDialog({ name, ...props }: DialogProps & { name: string | null }) {
  if (name === 'delete') return <DeleteWebhook {...props} />;
  if (!mayChange()) return null;
  if (name === 'edit') return <EditWebhook {...props} />;
  if (name === 'rotate') return <RotateSecret {...props} />;
  if (name === 'replay' && props.webhook.is_active) return <ReplayWebhook {...props} />;
  return name === 'test' ? <TestWebhook {...props} /> : null;
}

function DeleteWebhook({ webhook, onClose }: DialogProps) {
  return (
    <Confirm
      title={`Delete ${webhook.name}?`}
      verb="Delete webhook"
      onConfirm={async () => {
        await deleteWebhook(webhook.id);
        go('/webhooks');
        toast(`${webhook.name} deleted`);
      }}
      onClose={onClose}
    >
      Its secret and delivery log are deleted, and pending deliveries are not sent. This cannot be undone. To pause the
      webhook, disable it instead.
    </Confirm>
  );
}

const OVERLAP: FieldTable<{ seconds: number }> = [
  {
    name: 'seconds',
    label: 'Keep the current secret valid for',
    options: [
      [86_400, '1 day'],
      [3_600, '1 hour'],
      [604_800, '1 week'],
      [0, 'Revoke it now'],
    ],
    hint: 'Update the receiver within this time, so that it accepts all deliveries.',
  },
];

/** Creates a new secret; the current one stays valid for the chosen time. */
function RotateSecret({ webhook, show, onClose }: DialogProps) {
  return (
    <ResourceDialog
      isDisposable
      title="Rotate secret"
      verb="Rotate secret"
      start={{ seconds: 86_400 }}
      fields={OVERLAP}
      onSend={async ({ seconds }) => {
        const { secret, ...shown } = (await rotateSecret(webhook.id, { overlap_seconds: seconds })).webhook;
        show(shown);
        const note =
          seconds === 0
            ? 'The previous secret is no longer valid.'
            : 'Until the previous secret expires, deliveries are signed with both.';
        return <WebhookSecret title="New secret" secret={secret} more={note} onDone={onClose} />;
      }}
      onClose={onClose}
    />
  );
}

interface Range {
  since: string;
  until: string;
  state: 'failed' | 'all';
}

const RANGE: FieldTable<Range> = [
  { name: 'since', label: 'From', type: 'datetime-local', required: true, hint: 'In your time zone.' },
  { name: 'until', label: 'To', type: 'datetime-local', hint: 'Defaults to the current time.' },
  {
    name: 'state',
    label: 'Events',
    options: [
      ['failed', 'Failed and not delivered later'],
      ['all', 'All, including delivered events'],
    ],
    hint: 'Pending deliveries are not queued again. Receivers recognize repeated events by their webhook-id.',
  },
];

function ReplayWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const yesterday = localTime(new Date(Date.now() - DAY_MS).toISOString()).slice(0, 16);
  return (
    <ResourceDialog<Range>
      isDisposable
      title="Replay events"
      verb="Replay"
      start={{ since: yesterday, until: '', state: 'failed' }}
      fields={RANGE}
      onSend={async ({ since, until, state }) => {
        const range = { since: isoTime(since), until: isoTime(until) || undefined, state };
        const { count } = await replayWebhook(webhook.id, range);
        toast(count === 0 ? 'No events to replay in this time range' : `${counted(count, 'event')} queued`);
      }}
      onClose={onClose}
    />
  );
}
