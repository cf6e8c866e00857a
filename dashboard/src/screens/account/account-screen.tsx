import './account.css';
import type { PlanFeature } from '../../../../src/vocabulary/plan.ts';
import { fetchAccount } from '../../api/session.ts';
import type { AccountDetails } from '../../api/client/wire.ts';
import { capitalized, dayOf, number } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayAs } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Icon } from '../../ui/icons.tsx';
import { Page } from '../../ui/page/page.tsx';
import { requiredPlan } from '../../ui/page/plan-needed.tsx';
import { Loaded } from '../../ui/page/states.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { UsersCard } from './users-card.tsx';

export function AccountScreen() {
  const found = useResource('account', async (signal) => (await fetchAccount(signal)).account);
  const account = found.data.value;
  const isOwner = mayAs('owner');
  useKeys(isOwner ? [{ keys: 'n', label: 'Add user', run: () => setQuery({ new: 'user' }) }] : []);
  return (
    <Page title="Account" lead="Who can sign in, your plan and its usage.">
      {isOwner && <UsersCard onChanged={found.reload} />}
      <div class="stack gap-4 account-cards">
        <Loaded of={found} lines={8} height={22}>
          {(loaded) => (
            <>
              <PlanCard account={loaded} />
              <UsageCard usage={loaded.usage} limits={loaded.limits} />
            </>
          )}
        </Loaded>
      </div>
      {!isOwner && <p class="muted">Owners of this account manage users and API keys.</p>}
      {isOwner && account && <DeleteAccount usage={account.usage} />}
    </Page>
  );
}

function PlanCard({ account: { plan, limits, created_at: since } }: { account: AccountDetails }) {
  return (
    <section class="card">
      <header>
        <h2>{capitalized(plan)} plan</h2>
        <span class="small muted">Account since {dayOf(since)}</span>
      </header>
      <dl class="stack gap-4 account-facts">
        <Fact name="Requests per minute" value={limits.requests_per_minute} />
        <Fact name="Redirects per import" value={limits.redirects_per_bulk_call} />
      </dl>
      <ul class="stack features">
        <Feature feature="apiAccess" isIncluded={limits.api_access} name="API keys" />
        <Feature feature="analytics" isIncluded={limits.analytics} name="Analytics and unmatched paths" />
        <Feature feature="webhooks" isIncluded={limits.webhooks} name="Webhooks" />
      </ul>
    </section>
  );
}

function Feature({ feature, isIncluded, name }: { feature: PlanFeature; isIncluded: boolean; name: string }) {
  return (
    <li class={`row top ${isIncluded ? 'is-in' : 'muted'}`}>
      <Icon name={isIncluded ? 'check' : 'close'} />
      <span>
        {name}
        {!isIncluded && <span class="small"> not included, requires the {requiredPlan(feature)} plan</span>}
      </span>
    </li>
  );
}

function UsageCard({ usage, limits }: Pick<AccountDetails, 'usage' | 'limits'>) {
  const isOwner = mayAs('owner');
  return (
    <section class="card">
      <header>
        <h2>Usage</h2>
      </header>
      <dl class="stack gap-4 account-facts">
        <Fact name="Redirects" value={usage.redirects} limit={limits.redirects} />
        <Fact name="Websites" value={usage.websites} limit={limits.websites} href="/websites" />
        <Fact name="API keys" value={usage.api_keys} href={isOwner ? '/account/keys' : undefined} />
        <Fact name="Users" value={usage.users} />
      </dl>
    </section>
  );
}

function Fact(props: { name: string; value: number; limit?: number; href?: string | undefined }) {
  const { name, value, limit, href } = props;
  return (
    <div>
      <dt class="small muted">{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd class="strong">
        {number(value)}
        {limit !== undefined && <span class="small muted"> of {number(limit)}</span>}
      </dd>
    </div>
  );
}
