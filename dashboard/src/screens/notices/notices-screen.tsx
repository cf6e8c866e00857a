import './notices.css';
import type { ComponentChildren } from 'preact';
import { NOTICE_CHANNELS } from '../../../../src/vocabulary/notices.ts';
import type { Notice } from '../../api/client/wire.ts';
import { listNotices } from '../../api/notices.ts';
import { mayAs } from '../../state/session.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { type Resource, useResource } from '../../state/resource/use-resource.ts';
import { websites } from '../../state/websites.ts';
import { NewButton, ResourceList, ResourceScreen } from '../../ui/list/resource-list.tsx';
import { OwnersOnly } from '../../ui/page/plan-needed.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { reachOf } from '../keys/key-state.ts';
import { KINDS } from './kinds.ts';
import { addressOf, CHANNELS, isUnconfirmed, kindsText, obstacleOf, statusOf } from './labels.ts';
import { NoticeActions, NoticeDialogs, sendTest, TEST_FAILED } from './notice-actions.tsx';
import { NoticeForm } from './notice-form.tsx';

const TEXTS = { title: 'Notices', lead: 'Tell people by email or chat when something needs them.' };
const REFRESH_MS = 10_000;
const NEW = { label: 'New notice', name: 'notice' };

/** Only owners see notices, because an address or URL is of another system. */
export const maySee = (): boolean => mayAs('owner');

/** The notices of the account. */
export function NoticesScreen() {
  const why = 'The URLs of chats are secrets. Ask an owner of this account.';
  return maySee() ? <Notices /> : <OwnersOnly {...TEXTS} icon="notices" can="view notices" more={why} />;
}

export const useNotices = (): Resource<Notice[]> =>
  useResource('notices', async (signal) => (await listNotices(signal)).notices, { everyMs: REFRESH_MS });

function Notices() {
  const notices = useNotices();
  const { reload } = notices;
  const canSend = NOTICE_CHANNELS.some((channel) => obstacleOf(channel) === undefined);
  const created = (notice: Notice): void => {
    reload();
    if (isUnconfirmed(notice)) return toast(`Notice created. ${statusOf(notice)[2]}`);
    const fail = (thrown: unknown): void => toastError(thrown, TEST_FAILED);
    toast('Notice created', { label: 'Send test', run: () => void sendTest(notice).catch(fail).finally(reload) });
  };
  const creation = canSend
    ? { ...NEW, dialog: (close: () => void) => <NoticeForm onSaved={created} onClose={close} /> }
    : undefined;
  return (
    <ResourceScreen {...TEXTS} creation={creation}>
      <ResourceList
        list={notices}
        headings={['Notice', 'Messages', 'State', '']}
        class="notice-list"
        keyOf={({ id }) => id}
        cells={(notice) => <Cells notice={notice} reload={reload} />}
        empty={
          <Empty icon="notices" title="No notices yet" actions={<NewButton of={creation} />}>
            A notice tells people by email, Slack, Microsoft Teams or Discord about failed deployments, lost URLs and
            more, with a link to the screen that helps.
            {!canSend && ` Chats: ${obstacleOf('slack')} Email: ${obstacleOf('email')}`}
          </Empty>
        }
      />
      <NoticeDialogs notices={notices.data.value ?? []} reload={reload} />
    </ResourceScreen>
  );
}

function Cells({ notice, reload }: { notice: Notice; reload: () => void }) {
  const { id, name, kinds, last_success_at: last } = notice;
  const channel = channelText(notice);
  return (
    <>
      <div class="row-name">
        <a class="break" href={`/notices/${id}`}>
          {name}
        </a>
        <span class="small muted truncate" title={channel}>
          {channel}
        </span>
      </div>
      <div class="small stack gap-0">
        <span title={kinds.map((kind) => KINDS[kind][0]).join(', ')}>{kindsText(kinds)}</span>
        <span class="muted break">{websitesText(notice)}</span>
      </div>
      <Status notice={notice}>{last !== null && <span>Delivered {<Time at={last} />}</span>}</Status>
      <NoticeActions notice={notice} reload={reload} />
    </>
  );
}

/** `Slack: https://hooks.slack.com/…` */
export const channelText = (notice: Notice): string => `${CHANNELS[notice.channel.type]}: ${addressOf(notice)}`;

export const websitesText = ({ website_ids: ids }: Notice): string =>
  reachOf({ website_ids: ids?.map(Number) ?? null }, websites.value ?? []);

/** The badge of a notice, and what to do. */
export function Status({ notice, children }: { notice: Notice; children?: ComponentChildren }) {
  const [tone, word, advice] = statusOf(notice);
  return (
    <div class="small muted stack gap-0">
      <span>
        <span class={`badge ${tone}`}>{word}</span>
      </span>
      {advice !== '' && <span class="break">{advice}</span>}
      {children}
    </div>
  );
}
