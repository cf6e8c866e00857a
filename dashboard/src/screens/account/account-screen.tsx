import './account.css';
import { fetchAccount } from '../../api/session.ts';
import { setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayAs } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Page } from '../../ui/page/page.tsx';
import { Loaded } from '../../ui/page/states.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { PlanCard, UsageCard } from './plan-card.tsx';
import { UsersCard } from './users-card.tsx';

/** Plan, usage and users of the account. */
export function AccountScreen() {
  const found = useResource('account', async (signal) => (await fetchAccount(signal)).account);
  const account = found.data.value;
  const isOwner = mayAs('owner');
  useKeys(isOwner ? [{ keys: 'n', label: 'Add user', run: () => setQuery({ new: 'user' }) }] : []);
  return (
    <Page title="Account" lead="Your plan, its usage, and who can sign in.">
      <div class="account-cards">
        <Loaded of={found} lines={8} height={22}>
          {(loaded) => (
            <>
              <PlanCard account={loaded} />
              <UsageCard usage={loaded.usage} limits={loaded.limits} />
            </>
          )}
        </Loaded>
      </div>
      {isOwner ? (
        <UsersCard onChanged={found.reload} />
      ) : (
        <p class="muted">Owners of this account manage users and API keys.</p>
      )}
      {isOwner && account && <DeleteAccount usage={account.usage} />}
    </Page>
  );
}
