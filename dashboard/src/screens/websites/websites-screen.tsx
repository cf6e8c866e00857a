import './websites.css';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Website } from '../../api/wire.ts';
import { query, closeQuery, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayCreateWebsites } from '../../state/session.ts';
import { websites } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { EnvironmentState, useRecentDeployments } from './environment-state.tsx';
import { NewWebsite } from './new-website.tsx';

const start = (): void => setQuery({ new: 'website' });

/** The websites of the account and what is live in each environment. */
export function WebsitesScreen() {
  const list = websites.value ?? [];
  const recent = useRecentDeployments();
  useKeys(mayCreateWebsites.value ? [{ keys: 'n', label: 'New website', run: start }] : []);
  return (
    <Page
      title="Websites"
      lead="Each website has hosts, and redirects that you deploy to its environments."
      actions={
        mayCreateWebsites.value && (
          <Button kind="primary" icon="plus" keys="N" onClick={start}>
            New website
          </Button>
        )
      }
    >
      {list.length === 0 ? (
        <NoWebsite />
      ) : (
        <ul class="website-list">
          {list.map((website) => (
            <WebsiteCard key={website.id} website={website} recent={recent} />
          ))}
        </ul>
      )}
      {query.value.get('new') === 'website' && mayCreateWebsites.value && (
        <NewWebsite onClose={() => closeQuery('new')} />
      )}
    </Page>
  );
}

function NoWebsite() {
  return (
    <Empty
      icon="websites"
      title="No websites yet"
      actions={
        mayCreateWebsites.value && (
          <Button kind="primary" icon="plus" onClick={start}>
            New website
          </Button>
        )
      }
    >
      Add the website whose visitors you want to redirect, with its host. Hosts that end in .localhost work on this
      machine immediately.
    </Empty>
  );
}

function WebsiteCard({ website, recent }: { website: Website; recent: ReturnType<typeof useRecentDeployments> }) {
  const base = `/websites/${website.id}`;
  return (
    <li class="card">
      <header>
        <h2 class="break">
          <a href={`${base}/redirects`}>{website.name}</a>
        </h2>
        <div class="actions">
          <LinkButton size="small" href={`${base}/settings`} icon="settings">
            Settings
          </LinkButton>
        </div>
      </header>
      <ul class="environment-list">
        {ENVIRONMENTS.map((environment) => (
          <EnvironmentState key={environment} website={website} environment={environment} recent={recent} />
        ))}
      </ul>
    </li>
  );
}
