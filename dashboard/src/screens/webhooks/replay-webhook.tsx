import { useSignal } from '@preact/signals';
import { replayWebhook } from '../../api/webhooks.ts';
import type { Webhook } from '../../api/wire.ts';
import { counted, DAY_MS } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const STATES = [
  ['failed', 'Failed and not delivered later'],
  ['all', 'All, including delivered events'],
] as const;

/** Replays the events of a time range. */
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
    toast(count === 0 ? 'No events to replay in this time range' : `${counted(count, 'event')} queued`);
  }
  return (
    <FormDialog
      isDisposable
      title="Replay events"
      verb="Replay"
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
            error={error?.issueOf('since')}
            hint="In your time zone."
          />
          <TextField
            type="datetime-local"
            label="To"
            value={until.value}
            onText={(text) => (until.value = text)}
            error={error?.issueOf('until')}
            hint="Defaults to the current time."
          />
          <SelectField
            label="Events"
            value={state.value}
            options={STATES}
            onChoose={(chosen) => (state.value = chosen)}
            hint="Pending deliveries are not queued again. Receivers recognize repeated events by their webhook-id."
          />
          {error && error.issues.length === 0 && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

/** Local time without zone, as in a datetime-local input. */
function localTime(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const utcTime = (local: string): string => `${new Date(local).toISOString().slice(0, 19)}Z`;
