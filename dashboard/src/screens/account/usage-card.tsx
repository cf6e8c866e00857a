import type { AccountDetails } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { mayAs } from '../../state/session.ts';

export function UsageCard({ usage, limits }: Pick<AccountDetails, 'usage' | 'limits'>) {
  const isOwner = mayAs('owner');
  return (
    <section class="card">
      <header>
        <h2>Usage</h2>
      </header>
      <dl class="account-facts">
        <Fact name="Redirects" value={usage.redirects} limit={limits.redirects} />
        <Fact name="Websites" value={usage.websites} limit={limits.websites} href="/websites" />
        <Fact name="API keys" value={usage.api_keys} href={isOwner ? '/account/keys' : undefined} />
        <Fact name="Users" value={usage.users} />
      </dl>
    </section>
  );
}

interface FactProps {
  name: string;
  value: number;
  limit?: number;
  href?: string | undefined;
}

function Fact({ name, value, limit, href }: FactProps) {
  return (
    <div>
      <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd>
        {number(value)}
        {limit !== undefined && <span class="small muted"> of {number(limit)}</span>}
      </dd>
    </div>
  );
}
