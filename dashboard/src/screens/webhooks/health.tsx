import type { Webhook } from '../../api/wire.ts';
import { number, timeOfDay } from '../../format.ts';

type Tone = '' | 'ok' | 'warn' | 'danger';

const DISABLED: Record<NonNullable<Webhook['deactivated_reason']>, readonly [Tone, string]> = {
  user: ['', 'Disabled'],
  gone: ['danger', 'Disabled: returned 410'],
  failing: ['danger', 'Disabled: kept failing'],
};

function healthOf(webhook: Webhook): readonly [Tone, string] {
  if (!webhook.is_active) return DISABLED[webhook.deactivated_reason ?? 'user'];
  if (webhook.paused_until !== null) return ['warn', `Paused until ${timeOfDay(Date.parse(webhook.paused_until))}`];
  if (webhook.fail_streak > 0) return ['danger', `Failing (${number(webhook.fail_streak)} in a row)`];
  return webhook.last_success_at === null ? ['', 'Nothing delivered yet'] : ['ok', 'Healthy'];
}

/** Receiver health. */
export function HealthBadge({ webhook }: { webhook: Webhook }) {
  const [tone, text] = healthOf(webhook);
  return <span class={`badge ${tone}`}>{text}</span>;
}
