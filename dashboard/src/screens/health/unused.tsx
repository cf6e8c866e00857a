import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { countRedirects, listRedirects } from '../../api/redirects.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted, DAY_MS } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { UNUSED_AFTER_DAYS, noneText } from './view.ts';

/** Redirects without a hit. Counted when it is opened only: the count reads all redirects of the website. */
export function Unused({ website, environment }: { website: Website; environment: Environment }) {
  const before = new Date(Date.now() - UNUSED_AFTER_DAYS * DAY_MS).toISOString().slice(0, 10);
  // As the list that the link opens: a newer redirect is not unused.
  const all = { website_id: website.id, environment };
  const filter = { ...all, last_hit_before: before, created_before: before };
  const unused = useResource(`unused:${website.id}:${environment}`, async (signal) => {
    const [{ count }, { count: ended }, { redirects }] = await Promise.all([
      countRedirects(filter, signal),
      countRedirects({ ...all, schedule: 'expired' }, signal),
      listRedirects(all, { sort: 'id', limit: 1 }, signal),
    ]);
    return { count, ended, oldest: redirects[0]?.created_at };
  });
  const list = `/websites/${website.id}/redirects?environment=${environment}`;
  const showEnded = (ended: number) =>
    ended > 0 && <LinkButton href={`${list}&schedule=expired`}>{counted(ended, 'ended schedule')}</LinkButton>;
  return (
    <Loaded of={unused} lines={3} height={22}>
      {({ count, ended, oldest }) =>
        count === 0 ? (
          <Empty icon="check" title="No unused redirects" actions={showEnded(ended)}>
            {noneText(ENVIRONMENT_LABEL[environment], oldest, before)}
          </Empty>
        ) : (
          <Empty
            icon="redirects"
            title={`${counted(count, 'redirect')} without a hit for ${UNUSED_AFTER_DAYS} days`}
            actions={
              <>
                <LinkButton href={`${list}&not_followed=${UNUSED_AFTER_DAYS}`}>
                  Show {count === 1 ? 'it' : 'them'}
                </LinkButton>
                {showEnded(ended)}
              </>
            }
          >
            Delete them to keep the list short, or keep them for rare visits. Newer redirects do not count. The
            confirmation of a deletion offers a download.
          </Empty>
        )
      }
    </Loaded>
  );
}
