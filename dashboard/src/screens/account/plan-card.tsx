import { cheapestPlanWith, type PlanFeature } from '../../../../src/vocabulary/plan.ts';
import type { AccountAnswer } from '../../api/wire.ts';
import { dayOf, number } from '../../format.ts';
import { Icon } from '../../ui/icons.tsx';

/** What the account's plan allows, and which plan has what it does not. */
export function PlanCard({ account: { plan, limits, created_at: since } }: { account: AccountAnswer }) {
  return (
    <section class="card">
      <header>
        <h2>
          Plan <span class="plan-name">{plan}</span>
        </h2>
        <span class="small muted">account since {dayOf(since)}</span>
      </header>
      <dl class="account-facts">
        <div>
          <dt>Requests a minute</dt>
          <dd>{number(limits.requests_per_minute)}</dd>
        </div>
        <div>
          <dt>Redirects in one import</dt>
          <dd>{number(limits.redirects_per_bulk_call)}</dd>
        </div>
      </dl>
      <ul class="features">
        <Feature feature="apiAccess" isIn={limits.api_access} name="API keys" />
        <Feature feature="analytics" isIn={limits.analytics} name="Analytics and paths not found" />
        <Feature feature="webhooks" isIn={limits.webhooks} name="Webhooks" />
      </ul>
    </section>
  );
}

function Feature({ feature, isIn, name }: { feature: PlanFeature; isIn: boolean; name: string }) {
  return (
    <li class={isIn ? 'is-in' : 'muted'}>
      <Icon name={isIn ? 'check' : 'close'} />
      <span>
        {name}
        {!isIn && <span class="small"> not included, comes with the plan {cheapestPlanWith(feature)}</span>}
      </span>
    </li>
  );
}
