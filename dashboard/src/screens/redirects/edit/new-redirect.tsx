import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Website } from '../../../api/client/wire.ts';
import { closeQuery, query } from '../../../router.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import type { RedirectList } from '../list/redirect-list.ts';
import { RedirectEditor } from './redirect-editor.tsx';

const close = (): void => closeQuery('new', 'target', 'pattern', 'test');

interface Props {
  list: RedirectList;
  website: Website;
  /** after the dialog has closed */
  onCreated: () => void;
}

/**
 * The dialog of `new` in the URL: the path of a new redirect, also with its `target`, or a pattern with `pattern=true`
 * and the path `test`.
 */
export function NewRedirect({ list, website, onCreated }: Props) {
  const isCreated = useRef(false);
  // After the dialog is gone: until then, nothing else takes the focus.
  useLayoutEffect(() => () => void (isCreated.current && queueMicrotask(onCreated)), []);
  const path = query.value.get('new') ?? '/';
  const isPattern = query.value.get('pattern') === 'true';
  const target = query.value.get('target');
  const start =
    path === '/' ? {} : { old_path: path, is_regex: isPattern, ...(target !== null && { new_path: target }) };
  return (
    <Dialog title="New redirect" shape="side" onClose={close}>
      <RedirectEditor
        list={list}
        website={website}
        start={start}
        example={query.value.get('test') ?? undefined}
        onSaved={() => (isCreated.current = true)}
        onClose={close}
      />
    </Dialog>
  );
}
