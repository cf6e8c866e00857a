import type { FileImported } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { Notice } from '../../ui/states.tsx';

const MEANING: Record<string, (column: string) => string> = {
  COLUMN_IGNORED: (column) => `The column “${column}” has no place here and is not kept`,
  WEBSITE_OPTION: (column) => `“${column}” is a setting of the website here, not of a redirect`,
  HOST_REMOVED: () => 'Sources with the website’s own host count as their paths',
  SLASH_ADDED: () => 'Sources get their leading /',
  CONVERTED_TO_PATTERN: () => '“Starts with” and the like become patterns',
  DISABLED_AS_DRAFT: () => 'Rules that are off become drafts, deployed nowhere',
  EMPTY_ROWS: () => 'Rows without content are left out',
};

/** What is read but not kept, or kept in another form. */
export function Notices({ notices }: { notices: FileImported['notices'] }) {
  if (notices.length === 0) return null;
  return (
    <Notice>
      <ul>
        {notices.map(({ code, column, count }) => (
          <li key={code + column}>
            {MEANING[code]?.(column) ?? `${code}: ${column}`}{' '}
            <span class="muted">({counted(count, 'row')})</span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
