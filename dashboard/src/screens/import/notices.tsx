import type { FileImported } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { Notice } from '../../ui/states.tsx';

const NOTICE_TEXT: Record<string, (column: string) => string> = {
  COLUMN_IGNORED: (column) => `Column “${column}” is not supported and was ignored`,
  WEBSITE_OPTION: (column) => `“${column}” is a website setting, not a redirect field`,
  HOST_REMOVED: () => 'The website’s own host was removed from sources',
  SLASH_ADDED: () => 'A leading / was added to sources',
  CONVERTED_TO_PATTERN: () => 'Match types such as “starts with” were converted to patterns',
  DISABLED_AS_DRAFT: () => 'Disabled redirects are imported as drafts',
  NOT_A_REDIRECT: (column) => `“${column}” is not a redirect and was ignored`,
  QUERY_PAIRS: () => 'Conditions on the whole query became required parameters; others are allowed',
  EMPTY_ROWS: () => 'Empty rows were skipped',
};

/** Values that were ignored or converted. */
export function Notices({ notices }: { notices: FileImported['notices'] }) {
  if (notices.length === 0) return null;
  return (
    <Notice>
      <ul>
        {notices.map(({ code, column, count }) => (
          <li key={code + column}>
            {NOTICE_TEXT[code]?.(column) ?? `${code}: ${column}`} <span class="muted">({counted(count, 'row')})</span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
