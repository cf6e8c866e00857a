import { useSignal } from '@preact/signals';
import { replayWebhook } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const DAY_MS = 86_400_000;
const KINDS = [
  ['failed', 'What was given up and not delivered since'],
  ['all', 'Every event of its kinds, sent before or not'],
] as const;

/** Sends the events of a stretch of time again. */
export function ReplayWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const since = useSignal(localTime(new Date(Date.now() - DAY_MS)));
  const until = useSignal('');
  const state = useSignal<'failed' | 'all'>('failed');
  async function send(): Promise<void> {
    const { count } = await replayWebhook(webhook.id, {
      since: utcTime(since.value),
      ...(until.value !== '' && { until: utcTime(until.value) }),
      state: state.value,
    });
    onClose();
    toast(count === 0 ? 'Nothing of that time is to be sent again' : `${counted(count, 'event')} queued`);
  }
  return (
    <FormDialog
      title="Send a stretch of time again"
      verb="Queue events"
      isReady={since.value !== ''}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <TextField
            type="datetime-local"
            label="From"
            value={since.value}
            onText={(text) => (since.value = text)}
            wrong={error?.issueOf('since')}
            hint="In your time zone."
          />
          <TextField
            type="datetime-local"
            label="To"
            value={until.value}
            onText={(text) => (until.value = text)}
            wrong={error?.issueOf('until')}
            hint="Empty: to this moment."
          />
          <SelectField
            label="Which"
            value={state.value}
            options={KINDS}
            onChoose={(chosen) => (state.value = chosen)}
            hint="What still waits is not queued twice. The receiver knows an event that it has had by its webhook-id."
          />
          {error && error.issues.length === 0 && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

/** As a datetime-local field holds it: the reader's own time, without zone. */
function localTime(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const utcTime = (local: string): string => `${new Date(local).toISOString().slice(0, 19)}Z`;
