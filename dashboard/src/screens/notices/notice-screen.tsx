import '../webhooks/webhooks.css';
import { listMessages } from '../../api/notices.ts';
import type { Notice, NoticeDelivery } from '../../api/client/wire.ts';
import { capitalized } from '../../format.ts';
import type { Params } from '../../router.ts';
import { type Pages, usePages } from '../../state/resource/use-pages.ts';
import { LinkButton } from '../../ui/button.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { DeliveryCells } from '../webhooks/deliveries.tsx';
import { FactList } from '../webhooks/facts.tsx';
import { KINDS } from './kinds.ts';
import { messageText } from './labels.ts';
import { NoticeActions, NoticeDialogs } from './notice-actions.tsx';
import { channelText, maySee, NoticesScreen, Status, useNotices, websitesText } from './notices-screen.tsx';

const REFRESH_MS = 5_000;
const PAGE_SIZE = 50;

/** A notice and its log. */
export function NoticeScreen({ params }: { params: Params }) {
  const id = params['noticeId'] ?? '';
  return maySee() ? <OneNotice key={id} id={id} /> : <NoticesScreen />;
}

function OneNotice({ id }: { id: string }) {
  const notices = useNotices();
  const log = usePages(
    `messages:${id}`,
    (cursor, signal) => listMessages(id, { cursor, limit: PAGE_SIZE }, signal),
    ({ deliveries }) => deliveries,
    { everyMs: REFRESH_MS },
  );
  const reload = (): void => {
    notices.reload();
    log.reload();
  };
  const notice = notices.data.value?.find((each) => each.id === id);
  const all = <a href="/notices">All notices</a>;
  return (
    <Page
      title={notice?.name ?? 'Notice'}
      lead={notice ? [all, ' · ', <span class="break">{channelText(notice)}</span>] : all}
      actions={notice && <NoticeActions notice={notice} reload={reload} />}
    >
      <Loaded of={notices} lines={8} height={22}>
        {(loaded) => (
          <>
            {notice ? <Facts notice={notice} /> : <NotFound />}
            {notice && <Log log={log} isActive={notice.is_active} />}
            <NoticeDialogs notices={loaded} reload={reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const NotFound = () => (
  <Empty icon="missing" title="Notice not found" actions={<LinkButton href="/notices">All notices</LinkButton>}>
    It was deleted or belongs to another account.
  </Empty>
);

function Facts({ notice }: { notice: Notice }) {
  const { kinds, last_success_at: last, time_zone: zone } = notice;
  return (
    <FactList
      facts={[
        ['State', <Status notice={notice} />],
        ['Last message', last === null ? 'None yet' : <Time at={last} />],
        ['Websites', websitesText(notice)],
        ...(kinds.includes('digest.weekly') ? [['Weekly digest', `Monday 08:00, ${zone}`] as const] : []),
      ]}
    >
      <div class="whole">
        <dt class="small muted">Tells about</dt>
        <dd>{capitalized(kinds.map((kind) => KINDS[kind][0]).join(', '))}</dd>
      </div>
    </FactList>
  );
}

/** The messages of a notice, newest first. */
function Log({ log, isActive }: { log: Pages<NoticeDelivery>; isActive: boolean }) {
  return (
    <ResourceList
      list={log}
      title="Log"
      class="delivery-list"
      keyOf={(message) => message.id}
      cells={(message) => (
        <DeliveryCells delivery={message} isActive={isActive}>
          <span>{messageText(message.kind)}</span>
        </DeliveryCells>
      )}
      empty={
        <Empty icon="notices" title="No messages yet">
          Each message appears here, with its attempts. Send a test to see one.
        </Empty>
      }
    />
  );
}
