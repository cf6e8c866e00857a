import type { FileImported } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { Notice } from '../../ui/page/states.tsx';
import { isOfWebsite, mergedNotices, noticeText } from './notice-words.ts';

/** Values that were ignored or converted. Settings open in another tab, so that the checked file stays. */
export function Notices({ notices, websiteId }: { notices: FileImported['notices']; websiteId: number }) {
  if (notices.length === 0) return null;
  return (
    <Notice>
      <ul>
        {mergedNotices(notices).map((notice) => (
          <li key={notice.code + notice.column + (notice.value ?? '')}>
            {noticeText(notice)} <span class="muted">({counted(notice.count, 'row')})</span>
          </li>
        ))}
      </ul>
      {notices.some(isOfWebsite) && (
        <a href={`/websites/${websiteId}/settings`} target="_blank" rel="noreferrer">
          View the settings of this website
        </a>
      )}
    </Notice>
  );
}
