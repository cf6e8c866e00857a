import './account.css';
import { fetchAccount } from '../../api/session.ts';
import { setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayAs } from '../../state/session.ts';
import { useResource } from '../../state/use-resource.ts';
import { Page } from '../../ui/page.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { PlanCard } from './plan-card.tsx';
import { UsageCard } from './usage-card.tsx';
import { UsersCard } from './users-card.tsx';

/** Plan, usage and users of the account. */
export function AccountScreen() {
  const found = useResource('account', (signal) => fetchAccount(signal));
  const account = found.data.value?.account;
  const error = found.error.value;
  const isOwner = mayAs('owner');
  useKeys(isOwner ? [{ keys: 'n', label: 'Add user', run: () => setQuery({ new: 'user' }) }] : []);
  return (
    <Page title="Account" lead="Your plan, its usage, and who can sign in.">
      {error && <Problem error={error} onRetry={found.reload} />}
      {!account && !error && (
        <div class="account-loading">
          <Skeleton lines={8} height={22} />
        </div>
      )}
      {account && (
        <div class="account-cards">
          <PlanCard account={account} />
          <UsageCard usage={account.usage} limits={account.limits} />
        </div>
      )}
      {isOwner ? (
        <UsersCard onChanged={found.reload} />
      ) : (
        <p class="muted">Owners of this account manage users and API keys.</p>
      )}
      {isOwner && account && <DeleteAccount usage={account.usage} />}
    </Page>
  );
}
