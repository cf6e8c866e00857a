import { useEffect, useMemo } from 'preact/hooks';
import { fetchRedirect } from '../../../api/redirects.ts';
import type { Website } from '../../../api/client/wire.ts';
import { closeQuery, query } from '../../../router.ts';
import { mayEdit } from '../../../state/session.ts';
import { toastError } from '../../../state/toasts.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import type { RedirectList } from '../list/redirect-list.ts';
import { RedirectPanel } from './redirect-panel.tsx';

/** Interval at which an open panel shows changes by other users. */
const POLL_MS = 4_000;

/** The panel in the URL: `open` is the id of a redirect, `new` the path of a new one, or a pattern with `pattern=true`. */
export function OpenPanel({ list, website }: { list: RedirectList; website: Website }) {
  const openId = query.value.get('open');
  const startPath = query.value.get('new');
  const close = (): void => closeQuery('open', 'new', 'pattern');
  const row = useMemo(() => list.rows.peek().find(({ id }) => String(id) === openId), [openId]);
  const { data, error } = useResource(
    `panel:${openId}`,
    async (signal) => (openId === null ? undefined : (await fetchRedirect(Number(openId), signal)).redirect),
    { everyMs: openId === null ? undefined : POLL_MS },
  );
  // For one render after a change of the URL, the data is that of the previous redirect.
  const newest = String(data.value?.id) === openId ? data.value : undefined;
  const redirect = newest ? { ...row, ...newest } : row;
  const failure = redirect ? undefined : error.value;
  useEffect(() => {
    // Not the error of the previous redirect.
    if (!failure || error.peek() !== failure) return;
    toastError(failure, 'Could not open the redirect');
    close();
  }, [failure]);

  if (startPath !== null && mayEdit.value) {
    const isPattern = query.value.get('pattern') === 'true';
    const start = startPath === '/' ? {} : { old_path: startPath, is_regex: isPattern };
    return <RedirectPanel list={list} website={website} start={start} onClose={close} />;
  }
  if (!redirect) return null;
  return (
    <RedirectPanel
      key={openId}
      list={list}
      website={website}
      redirect={redirect}
      isDeleted={error.value?.code === 'REDIRECT_NOT_FOUND'}
      onClose={close}
    />
  );
}
