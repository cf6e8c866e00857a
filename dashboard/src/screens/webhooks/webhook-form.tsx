import { EVENT_KINDS } from '../../../../src/vocabulary/kinds.ts';
import { createWebhook, updateWebhook, type WebhookFields } from '../../api/webhooks.ts';
import type { SecretWebhook, Webhook } from '../../api/client/wire.ts';
import { toast, undoWith } from '../../state/toasts.ts';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ManyChoice } from '../../ui/form/many-choice.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { EVENT_DESCRIPTIONS, eventName } from './labels.ts';
import { mayAs, planHas } from '../../state/session.ts';

/** Only owners see webhooks, because their URLs may contain secrets. */
export const maySee = (): boolean => mayAs('owner');

/** Creating, changing and sending need the plan; reading and deleting do not. */
export const mayChange = (): boolean => maySee() && planHas('webhooks');

const EVENTS = EVENT_KINDS.map(
  (kind) => [kind, <span title={kind}>{eventName(kind)}</span>, EVENT_DESCRIPTIONS[kind]] as const,
);

const FIELDS: FieldTable<WebhookFields> = [
  {
    name: 'name',
    label: 'Name',
    required: true,
    autofocus: true,
    hint: 'For your reference, such as the receiving system.',
  },
  {
    name: 'url',
    label: 'URL',
    required: true,
    isCode: true,
    type: 'url',
    placeholder: 'https://hooks.example.com/detour',
    hint: 'Receives each event as a POST request with a signed JSON body.',
  },
  { name: 'events', control: (props) => <ManyChoice {...props} legend="Events" options={EVENTS} /> },
];

const hasEvents = ({ events }: WebhookFields): boolean => events.length > 0;

const START: WebhookFields = { name: '', url: '', events: ['deployment.completed', 'deployment.failed'] };

/** Creates a webhook, then shows its secret once. `onCreated`: when the user closes the secret. */
export function NewWebhook(props: { onCreated: (webhook: SecretWebhook) => void; onClose: () => void }) {
  const { onCreated, onClose } = props;
  return (
    <ResourceDialog
      title="New webhook"
      verb="Create webhook"
      start={START}
      fields={FIELDS}
      isReady={hasEvents}
      onSend={async (fields) => {
        const { webhook } = await createWebhook(fields);
        const { secret } = webhook;
        const done = (): void => onCreated(webhook);
        return <WebhookSecret title="Webhook created" secret={secret} more="Then send a test." onDone={done} />;
      }}
      onClose={onClose}
    />
  );
}

export interface DialogProps {
  webhook: Webhook;
  show: (changed: Webhook) => void;
  onClose: () => void;
}

export function EditWebhook({ webhook, show, onClose }: DialogProps) {
  const before: WebhookFields = { name: webhook.name, url: webhook.url, events: webhook.events };
  const save = async (fields: WebhookFields): Promise<void> => show((await updateWebhook(webhook.id, fields)).webhook);
  return (
    <ResourceDialog
      title="Edit webhook"
      verb="Save"
      start={before}
      fields={FIELDS}
      isReady={hasEvents}
      onSend={async (fields) => {
        await save(fields);
        toast(
          'Saved',
          undoWith(() => save(before)),
        );
      }}
      onClose={onClose}
    />
  );
}

/** The secret of a new webhook, or a rotated one. */
export function WebhookSecret(props: { title: string; secret: string; more: string; onDone: () => void }) {
  const { title, secret, more, onDone } = props;
  return (
    <OneTimeSecret title={title} label="Secret" text={secret} onDone={onDone}>
      <p>
        Configure the receiver with it, to verify the signatures. It is shown only once and stored encrypted. {more}
      </p>
    </OneTimeSecret>
  );
}
