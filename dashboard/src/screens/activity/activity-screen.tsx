import './activity.css';
import { query } from '../../router.ts';
import { mayAs } from '../../state/session.ts';
import { currentWebsite, websites } from '../../state/websites.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { ActivityList } from './activity-list.tsx';

const LEAD = 'Changes of redirects, deployments and changes of settings in the last 30 days.';

/** The activity of the website in the URL, by default the last one that was open. */
export function ActivityScreen() {
  const named = websites.value?.find(({ id }) => String(id) === query.value.get('website'));
  const website = named ?? currentWebsite.value;
  const audit = mayAs('owner') && (
    <LinkButton href="/account/audit" icon="audit">
      Audit log
    </LinkButton>
  );
  return (
    <Page title="Activity" lead={LEAD} actions={audit}>
      {website ? (
        <ActivityList key={website.id} website={website} />
      ) : (
        <Empty
          icon="activity"
          title="No activity yet"
          actions={<LinkButton href="/websites">Go to websites</LinkButton>}
        >
          Changes of websites and redirects appear here.
        </Empty>
      )}
    </Page>
  );
}
