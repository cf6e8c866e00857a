import type { FileImported } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { Notice } from '../../ui/states.tsx';

const OPTION_TEXT: Record<string, string> = {
  'query exact':
    'In this tool a path matches only without further parameters. The website treats the query differently',
  'query drop': 'This tool drops the query. The website treats it differently',
  'query pass': 'This tool passes the query on. The website treats it differently',
  'trailing_slash exact': 'This tool compares the slash at the end. The website ignores it',
  'trailing_slash ignore': 'This tool ignores the slash at the end. The website compares it',
  'case_sensitive true': 'In this tool upper and lower case differ. The website ignores case',
  'case_sensitive false': 'This tool ignores case. In the website upper and lower case differ',
};

const NOTICE_TEXT: Record<string, (column: string, value: string) => string> = {
  COLUMN_IGNORED: (column) => `Column “${column}” is not supported and was ignored`,
  WEBSITE_OPTION: (column, value) =>
    OPTION_TEXT[`${column} ${value}`] ?? `“${column}” is a website setting, not a redirect field`,
  HOST_REMOVED: () => 'The website’s own host was removed from sources and targets',
  SLASH_ADDED: () => 'A leading / was added to sources',
  CONVERTED_TO_PATTERN: () => 'Wildcards and match types such as “starts with” were converted to patterns',
  PATTERN_ANCHORED: () => 'Patterns with an open beginning or end were completed to match the whole path',
  DISABLED_AS_DRAFT: () => 'Disabled redirects are imported as drafts',
  NOT_A_REDIRECT: (column) => `“${column}” is not a redirect and was ignored`,
  ORDER_DIFFERS: (column) => `Answers some paths that an earlier statement answers on the server: ${column}`,
  QUERY_PAIRS: () => 'Conditions on the whole query became required parameters; others are allowed',
  EMPTY_ROWS: () => 'Empty rows were skipped',
};

/** Values that were ignored or converted. */
export function Notices({ notices }: { notices: FileImported['notices'] }) {
  if (notices.length === 0) return null;
  return (
    <Notice>
      <ul>
        {notices.map(({ code, column, value = '', count }) => (
          <li key={code + column + value}>
            {NOTICE_TEXT[code]?.(column, value) ?? `Changed in “${column}”`}{' '}
            <span class="muted">({counted(count, 'row')})</span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
