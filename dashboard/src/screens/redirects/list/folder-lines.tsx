import { WrappedPath } from '../../../ui/text/path-text.tsx';
import type { RedirectList } from './redirect-list.ts';
import { folderLines } from './shared-folders.ts';

/** Above the rows, so that it stays in sight: the folders that an ellipsis hides in them. */
export function FolderLines({ list }: { list: RedirectList }) {
  const lines = folderLines(list.folders.value, list.rows.value, list.hasMore.value || list.above.value > 0);
  if (lines.length === 0) return null;
  return (
    <p class="folder-lines small muted">
      {lines.map(({ text, folder }) => (
        <span key={text} class="break">
          {text}{' '}
          <span class="mono">
            <WrappedPath path={folder} />
          </span>
        </span>
      ))}
    </p>
  );
}
