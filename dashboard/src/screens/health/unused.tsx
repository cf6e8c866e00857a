import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { countRedirects } from '../../api/redirects.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted, DAY_MS } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';

/** A choice of the filter of the list. */
const DAYS = 90;

/** Redirects without a hit. Counted when it is opened only: the count reads all redirects of the website. */
export function Unused({ website, environment }: { website: Website; environment: Environment }) {
  const before = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
  // As the list that the link opens: a newer redirect is not unused.
  const filter = { website_id: website.id, environment, last_hit_before: before, created_before: before };
  const unused = useResource(`unused:${website.id}:${environment}`, (signal) => countRedirects(filter, signal));
  const href = `/websites/${website.id}/redirects?environment=${environment}&not_followed=${DAYS}`;
  return (
    <Loaded of={unused} lines={3} height={22}>
      {({ count }) =>
        count === 0 ? (
          <Empty icon="check" title="No unused redirects">
            Every redirect in {ENVIRONMENT_LABEL[environment].toLowerCase()} that is older than {DAYS} days was used
            since.
          </Empty>
        ) : (
          <Empty
            icon="redirects"
            title={`${counted(count, 'redirect')} without a hit for ${DAYS} days`}
            actions={<LinkButton href={href}>Show {count === 1 ? 'it' : 'them'}</LinkButton>}
          >
            Newer redirects do not count. Before you delete them, the confirmation offers a download.
          </Empty>
        )
      }
    </Loaded>
  );
}
