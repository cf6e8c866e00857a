import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fetchRedirect } from '../../../api/redirects.ts';
import type { Redirect, Website } from '../../../api/client/wire.ts';
import { closeQuery, query } from '../../../router.ts';
import { mayEdit } from '../../../state/session.ts';
import { toastError } from '../../../state/toasts.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import type { RedirectList } from '../list/redirect-list.ts';
import { RedirectPanel } from './redirect-panel.tsx';

/** Interval at which an open panel shows changes by other users. */
const POLL_MS = 4_000;

/** The panel in the URL: `open` is the id of a redirect, `new` the path of a new one. */
export function OpenPanel({ list, website }: { list: RedirectList; website: Website }) {
  const openId = query.value.get('open');
  const startPath = query.value.get('new');
  const found = useSignal<Redirect | undefined>(undefined);
  const close = (): void => closeQuery('open', 'new');
  useEffect(() => {
    found.value = list.rows.peek().find(({ id }) => String(id) === openId);
    if (openId === null || found.value) return;
    let isCurrent = true;
    fetchRedirect(Number(openId)).then(
      ({ redirect }) => {
        if (isCurrent) found.value = redirect;
      },
      (thrown: unknown) => {
        toastError(thrown, 'Could not open the redirect');
        close();
      },
    );
    return () => (isCurrent = false);
  }, [openId]);

  const { data, error } = useResource(
    `panel:${openId}`,
    async (signal) => (openId === null ? undefined : (await fetchRedirect(Number(openId), signal)).redirect),
    { everyMs: openId === null ? undefined : POLL_MS },
  );
  const newest = data.value;
  useEffect(() => {
    if (newest && newest.id === found.value?.id) found.value = { ...found.value, ...newest };
  }, [newest]);
  const isGone = error.value?.code === 'REDIRECT_NOT_FOUND';

  if (startPath !== null && mayEdit.value) {
    const start = startPath === '/' ? {} : { old_path: startPath };
    return <RedirectPanel list={list} website={website} redirect={undefined} start={start} mayEdit onClose={close} />;
  }
  if (openId === null || String(found.value?.id) !== openId) return null;
  return (
    <RedirectPanel
      key={openId}
      list={list}
      website={website}
      redirect={found.value}
      mayEdit={mayEdit.value}
      isDeleted={isGone}
      onClose={close}
    />
  );
}
