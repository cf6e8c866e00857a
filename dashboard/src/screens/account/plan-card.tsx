import type { PlanFeature } from '../../../../src/vocabulary/plan.ts';
import type { AccountDetails } from '../../api/wire.ts';
import { dayOf, number } from '../../format.ts';
import { Icon } from '../../ui/icons.tsx';
import { requiredPlan } from '../../ui/plan-needed.tsx';

/** Limits of the account's plan, and which plan includes the missing features. */
export function PlanCard({ account: { plan, limits, created_at: since } }: { account: AccountDetails }) {
  return (
    <section class="card">
      <header>
        <h2>
          <span class="plan-name">{plan}</span> plan
        </h2>
        <span class="small muted">Account since {dayOf(since)}</span>
      </header>
      <dl class="account-facts">
        <div>
          <dt>Requests per minute</dt>
          <dd>{number(limits.requests_per_minute)}</dd>
        </div>
        <div>
          <dt>Redirects per import</dt>
          <dd>{number(limits.redirects_per_bulk_call)}</dd>
        </div>
      </dl>
      <ul class="features">
        <Feature feature="apiAccess" isIncluded={limits.api_access} name="API keys" />
        <Feature feature="analytics" isIncluded={limits.analytics} name="Analytics and unmatched paths" />
        <Feature feature="webhooks" isIncluded={limits.webhooks} name="Webhooks" />
      </ul>
    </section>
  );
}

function Feature({ feature, isIncluded, name }: { feature: PlanFeature; isIncluded: boolean; name: string }) {
  return (
    <li class={isIncluded ? 'is-in' : 'muted'}>
      <Icon name={isIncluded ? 'check' : 'close'} />
      <span>
        {name}
        {!isIncluded && <span class="small"> not included, requires the {requiredPlan(feature)} plan</span>}
      </span>
    </li>
  );
}
