import './activity.css';
import { query } from '../../router.ts';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ChangeList } from './change-list.tsx';
import { EventList } from './event-list.tsx';

/** Changes of redirects, which can be undone, and all events of the account. */
export function ActivityScreen() {
  const isEvents = hasEvents(query.value);
  const website = query.value.get('website');
  const ofWebsite = website === null ? '' : `&website=${encodeURIComponent(website)}`;
  return (
    <Page title="Activity" lead="Changes of your redirects, and everything else that happened in your account.">
      <Tabs
        label="Activity"
        tabs={[
          { label: 'Changes', href: `/activity?view=changes${ofWebsite}`, isCurrent: !isEvents },
          { label: 'Events', href: `/activity?view=events${ofWebsite}`, isCurrent: isEvents },
        ]}
      />
      {isEvents ? <EventList /> : <ChangeList />}
    </Page>
  );
}

/** Links with a filter of events show events. */
function hasEvents(parameters: URLSearchParams): boolean {
  const view = parameters.get('view');
  return view === 'events' || (view === null && (parameters.has('event') || parameters.has('redirect')));
}
