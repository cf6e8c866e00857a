import { deleteNotice, testNotice, updateNotice } from '../../api/notices.ts';
import type { Notice } from '../../api/client/wire.ts';
import { capitalized, duration } from '../../format.ts';
import { closeQuery, go, query, setQuery } from '../../router.ts';
import { toast, toastResult } from '../../state/toasts.ts';
import { ActionButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { addressOf, isUnconfirmed, obstacleOf, remedyOf } from './labels.ts';
import { NoticeForm } from './notice-form.tsx';

interface Props {
  notice: Notice;
  /** reads the notices again */
  reload: () => void;
}

/** The next step of a notice, and a menu with the other actions. */
export function NoticeActions({ notice, reload }: Props) {
  const { id, name, is_active: isActive } = notice;
  return (
    <div class="actions notice-actions">
      {obstacleOf(notice.channel.type) === undefined && <NextStep notice={notice} reload={reload} />}
      <Menu label={`Actions of ${name}`} buttonClass="button icon-only" button={<Icon name="more" />}>
        <button type="button" onClick={() => setQuery({ edit: id })}>
          <Icon name="edit" /> Edit
        </button>
        <button type="button" onClick={() => toggle(notice, reload)}>
          <Icon name={isActive ? 'close' : 'check'} /> {isActive ? 'Disable' : 'Enable'}
        </button>
        <hr />
        <button type="button" onClick={() => setQuery({ delete: id })}>
          <Icon name="trash" /> Delete notice
        </button>
      </Menu>
    </div>
  );
}

function NextStep({ notice, reload }: Props) {
  const { id, status, is_active: isActive } = notice;
  async function change(changes: Parameters<typeof updateNotice>[1]): Promise<void> {
    await updateNotice(id, changes);
    reload();
  }
  if (isUnconfirmed(notice)) {
    const to = addressOf(notice);
    const sendLink = async (): Promise<void> => {
      await change({ channel: { type: 'email', to } });
      toast(`A link to confirm is sent to ${to}`);
    };
    return (
      <ActionButton failure="Could not send the link" onAct={sendLink}>
        Send link again
      </ActionButton>
    );
  }
  return (
    <>
      {isActive && status === 'failing' && (
        <ActionButton kind="primary" failure="Could not enable the notice" onAct={() => change({ is_active: true })}>
          Try again
        </ActionButton>
      )}
      <ActionButton failure={TEST_FAILED} onAct={() => sendTest(notice).finally(reload)}>
        Send test
      </ActionButton>
    </>
  );
}

export const TEST_FAILED = 'Could not send the test';

/** Sends a test, and says what the channel responded. */
export async function sendTest({ id }: Notice): Promise<void> {
  const { delivered, duration_ms: ms, error, outcome } = await testNotice(id);
  if (delivered) return toast(`Delivered in ${duration(ms)}`);
  const log = { label: 'View log', href: `/notices/${id}` };
  toast(`Not delivered: ${capitalized(error ?? outcome)}`, undefined, log, remedyOf(outcome));
}

/** Enables a notice that is disabled, and the reverse. */
function toggle({ id, is_active: wasActive }: Notice, reload: () => void): void {
  const set = (isActive: boolean) => updateNotice(id, { is_active: isActive });
  const work = set(!wasActive).then(() => {
    reload();
    return () => set(wasActive);
  });
  const done = wasActive ? 'Notice disabled. It sends nothing until you enable it.' : 'Notice enabled';
  toastResult(work, { done, failure: `Could not ${wasActive ? 'disable' : 'enable'} the notice`, restore: reload });
}

/** The dialogs of the notice that the URL names. */
export function NoticeDialogs({ notices, reload }: { notices: Notice[]; reload: () => void }) {
  const named = (name: string): Notice | undefined => notices.find(({ id }) => id === query.value.get(name));
  const [edited, deleted] = [named('edit'), named('delete')];
  if (edited) return <NoticeForm before={edited} onSaved={reload} onClose={() => closeQuery('edit')} />;
  if (!deleted) return null;
  return (
    <Confirm
      title={`Delete ${deleted.name}?`}
      verb="Delete notice"
      onConfirm={async () => {
        await deleteNotice(deleted.id);
        go('/notices');
        reload();
        toast(`${deleted.name} deleted`);
      }}
      onClose={() => closeQuery('delete')}
    >
      Its log is deleted, and what waits is not sent. This cannot be undone. To pause the notice, disable it instead.
    </Confirm>
  );
}
