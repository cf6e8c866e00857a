import { fetchDelivery, redeliver } from '../../api/webhooks.ts';
import type { LoggedDelivery, Webhook } from '../../api/client/wire.ts';
import { capitalized, counted, duration, fullTime } from '../../format.ts';
import { query, closeQuery, setQuery } from '../../router.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { mayChange } from './webhook-form.tsx';
import { KIND_LABELS, REMEDIES, stateLabel } from './labels.ts';

const REFRESH_MS = 3_000;
const close = (): void => closeQuery('delivery');

/** The delivery in the URL: its exact body and every attempt. */
export function DeliveryPanel({ webhook }: { webhook: Webhook }) {
  const id = query.value.get('delivery');
  return id === null ? null : <Panel key={id} webhook={webhook} id={id} />;
}

function Panel({ webhook, id }: { webhook: Webhook; id: string }) {
  const load = async (signal: AbortSignal) => (await fetchDelivery(webhook.id, id, signal)).delivery;
  const found = useResource(`delivery:${id}`, load, { everyMs: REFRESH_MS });
  const delivery = found.data.value;
  return (
    <Dialog title="Delivery" shape="side" onClose={close}>
      <div class="dialog-body fields">
        <Loaded of={found} lines={10}>
          {(loaded) => <Logged delivery={loaded} isActive={webhook.is_active} />}
        </Loaded>
      </div>
      <footer>
        <Button kind="quiet" onClick={close}>
          Close
        </Button>
        {delivery && mayChange() && <Resend webhook={webhook} delivery={delivery} />}
      </footer>
    </Dialog>
  );
}

function Resend({ webhook, delivery }: { webhook: Webhook; delivery: LoggedDelivery }) {
  if (!webhook.is_active) return <span class="muted">Enable the webhook to resend.</span>;
  if (delivery.body === null) return <span class="muted">The event is no longer stored.</span>;
  async function resend(): Promise<void> {
    const { delivery: queued } = await redeliver(webhook.id, delivery.id);
    toast('Queued as a new delivery');
    setQuery({ delivery: queued.id });
  }
  return (
    <ActionButton kind="primary" failure="Could not resend" onAct={resend}>
      Resend
    </ActionButton>
  );
}

function Logged({ delivery, isActive }: { delivery: LoggedDelivery; isActive: boolean }) {
  const [tone, word] = stateLabel(delivery, isActive);
  const { attempts, body, next_attempt_at: next } = delivery;
  return (
    <>
      <p>
        <span class={`badge ${tone}`}>{word}</span> <code>{delivery.event}</code>{' '}
        <span class="muted">
          {KIND_LABELS[delivery.kind]} <Time at={delivery.created_at} />
          {next !== null && isActive && `; next attempt: ${fullTime(next)}`}
        </span>
      </p>
      <section>
        <h3>{attempts.length === 0 ? 'No attempts yet' : counted(attempts.length, 'attempt')}</h3>
        <ol class="stack gap-3 attempts">
          {attempts.toReversed().map((attempt) => (
            <Attempt key={`${attempt.attempt}:${attempt.started_at}`} attempt={attempt} />
          ))}
        </ol>
      </section>
      <section>
        <h3>Body</h3>
        {body === null ? <p class="muted">No longer stored.</p> : <CodeBlock>{indented(body)}</CodeBlock>}
      </section>
      <section>
        <h3>Headers</h3>
        <CodeBlock>{headersOf(delivery)}</CodeBlock>
        <p class="small muted">
          The signatures depend on the secret and are not stored. The{' '}
          <a href="/docs" target="_blank" rel="noreferrer">
            reference
          </a>{' '}
          shows how to verify them.
        </p>
      </section>
    </>
  );
}

/** Scrolls, also with the keyboard. */
export function CodeBlock({ children }: { children: string }) {
  return (
    <pre class="code-block" tabIndex={0}>
      {children}
    </pre>
  );
}

/** Headers of the latest attempt, or of the first one before it. */
function headersOf({ event, id, event_id: eventId, attempts }: LoggedDelivery): string {
  const last = attempts.at(-1);
  return [
    'Content-Type: application/json',
    `X-Service-Event: ${event}`,
    `X-Service-Delivery: ${id}`,
    ...(last
      ? [`X-Service-Attempt: ${last.attempt}`, `webhook-timestamp: ${Math.floor(Date.parse(last.started_at) / 1_000)}`]
      : []),
    `webhook-id: ${eventId}`,
    'webhook-signature: v1,…',
    'X-Service-Signature: sha256=…',
  ].join('\n');
}

function Attempt({ attempt }: { attempt: LoggedDelivery['attempts'][number] }) {
  const { outcome, error, response_body: response } = attempt;
  const isDelivered = outcome === 'delivered';
  return (
    <li class="stack gap-1">
      <p>
        {attempt.attempt}.{' '}
        <span class={`badge ${isDelivered ? 'ok' : 'danger'}`}>{attempt.status ?? 'No response'}</span>{' '}
        <span class="muted">
          {fullTime(attempt.started_at)}, {duration(attempt.duration_ms)}
          {attempt.signed_with === 'previous' && ', signed with the previous secret'}
        </span>
      </p>
      {!isDelivered && (
        <p class="break">
          {capitalized(error ?? outcome)}. <span class="muted">{REMEDIES[outcome] ?? ''}</span>
        </p>
      )}
      {response !== null && response !== '' && <CodeBlock>{response}</CodeBlock>}
    </li>
  );
}

/** Indented for reading; the sent body has no line breaks. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
