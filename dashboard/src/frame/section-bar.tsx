import { countNeeds } from '../nav.ts';
import { currentLocation, query } from '../router.ts';
import { needs } from '../state/overview.ts';
import { openWebsite } from '../state/websites.ts';
import { EnvironmentSelect } from '../ui/form/query-fields.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { environmentIn } from '../urls.ts';
import { isOpenTo, place, websiteHref } from './place.ts';

/**
 * Above each screen: the screens of its section, and the environment that they show. Nothing for the only screen of a
 * section: the frame names the website already.
 */
export function SectionBar() {
  const website = openWebsite.value;
  const here = place.value;
  if (!here) return null;
  const { section, screen } = here;
  // A review is of one environment, a comparison names two.
  const isOfOthers = /\/(review|compare)$/.test(currentLocation.value.path);
  const hasTabs = section.screens.length > 1;
  if (website && !hasTabs) return null;
  return (
    <div class="section-bar row apart">
      {hasTabs ? (
        <Tabs
          label={`${section.label}, screens`}
          tabs={section.screens
            .filter((each) => each === screen || isOpenTo(each))
            .map((each) => ({
              href: website ? websiteHref(website.id, each) : each.path,
              isCurrent: each === screen,
              label: each.label,
              toDo: countNeeds([each], needs.value),
            }))}
        />
      ) : (
        <span class="truncate muted">Your account</span>
      )}
      {screen.ofEnvironment && !isOfOthers && (
        <EnvironmentSelect value={environmentIn(query.value)} resets={screen.ofEnvironment} />
      )}
    </div>
  );
}
