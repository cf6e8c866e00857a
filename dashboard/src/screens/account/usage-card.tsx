import type { AccountDetails } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { mayAs } from '../../state/session.ts';

export function UsageCard({ usage }: Pick<AccountDetails, 'usage'>) {
  const isOwner = mayAs('owner');
  return (
    <section class="card">
      <header>
        <h2>Usage</h2>
      </header>
      <dl class="account-facts">
        <Fact name="Redirects" value={usage.redirects} />
        <Fact name="Websites" value={usage.websites} href="/websites" />
        <Fact name="API keys" value={usage.api_keys} href={isOwner ? '/account/keys' : undefined} />
        <Fact name="Users" value={usage.users} />
      </dl>
    </section>
  );
}

function Fact({ name, value, href }: { name: string; value: number; href?: string | undefined }) {
  return (
    <div>
      <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd>{number(value)}</dd>
    </div>
  );
}
