import './websites.css';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Website } from '../../api/wire.ts';
import { query, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayEdit } from '../../state/session.ts';
import { websites } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { EnvironmentState, useRecentDeployments } from './environment-state.tsx';
import { NewWebsite } from './new-website.tsx';

const start = (): void => setQuery({ new: 'website' });

/** Every website of the account, with what is live where. */
export function WebsitesScreen() {
  const list = websites.value ?? [];
  const recent = useRecentDeployments();
  useKeys(mayEdit.value ? [{ keys: 'n', label: 'New website', run: start }] : []);
  return (
    <Page
      title="Websites"
      lead="A website has hosts, and redirects that are deployed to its environments."
      actions={
        mayEdit.value && (
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
      {query.value.get('new') === 'website' && mayEdit.value && (
        <NewWebsite onClose={() => setQuery({ new: undefined })} />
      )}
    </Page>
  );
}

function NoWebsite() {
  return (
    <Empty
      icon="websites"
      title="No website yet"
      actions={
        mayEdit.value && (
          <Button kind="primary" icon="plus" onClick={start}>
            New website
          </Button>
        )
      }
    >
      Name the site whose visitors are to be redirected, and its host. A name that ends in .localhost works on
      this machine at once.
    </Empty>
  );
}

function WebsiteCard({
  website,
  recent,
}: {
  website: Website;
  recent: ReturnType<typeof useRecentDeployments>;
}) {
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
