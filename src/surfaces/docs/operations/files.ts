import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import type { ErrorCode } from '../../../vocabulary/error.ts';
import type { OperationTexts } from '../operation-text.ts';

/** What any import can be refused for as a whole, with nothing applied. */
const IMPORT: readonly ErrorCode[] = [
  'WEBSITE_NOT_FOUND',
  'PLAN_LIMIT_EXCEEDED',
  'TOO_MANY_REDIRECTS',
  'VALIDATION_ERROR',
  'BUSY',
];

const CSV = 'Redirect from,Redirect to,Code\n/about-us,/company,301\n/jobs,/careers,301\n/broken,,301\n';

export const FILE_TEXTS: OperationTexts = {
  'POST /api/redirects/import': {
    id: 'importFile',
    tag: 'Import of files',
    summary: 'Import a CSV file',
    text: 'The first file of the form, at most 2 GiB. The options are fields of the form, before or after the file, or query parameters. Bad rows are listed and left out; all others are applied together. An editor imports, a viewer may make a dry run. A dry run with `report=true` keeps the verdict on every row for an hour: see the rows and the report of an import.',
    answer: 'What became of each row: imported + skipped + updated + error_count is the number of rows.',
    errors: [...IMPORT, 'UNKNOWN_COLUMN', 'DUPLICATE_COLUMN', 'INSUFFICIENT_ROLE', 'CONFLICT'],
    example: { form: { file: { name: 'redirects.csv', text: CSV }, fields: { website_id: '1' } } },
  },
  'GET /api/imports/:id': {
    id: 'getImport',
    tag: 'Import of files',
    summary: 'Show an import',
    text: 'While it runs and afterwards. Whoever sends the import under an `import_id` of their own can watch it from its beginning.',
    answer: 'The import.',
    errors: ['IMPORT_NOT_FOUND', 'NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.import } },
  },
  'GET /api/imports/:id/rows': {
    id: 'listImportRows',
    tag: 'Import of files',
    summary: 'List the rows of a checked file',
    text: 'What would become of each row, in the order of the file, for an hour after a dry run with `report=true`. Any window is had by its place: 1,000,000 rows can be scrolled through.',
    answer: 'The rows of the window, and how many there are in all.',
    errors: ['IMPORT_NOT_FOUND', 'NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.checkedFile }, query: { limit: 5 } },
  },
  'GET /api/imports/:id/report': {
    id: 'getImportReport',
    tag: 'Import of files',
    summary: 'Download the rows of a checked file',
    text: 'Every row with its verdict, or with `verdict` those of one, for an hour after a dry run with `report=true`.',
    answer:
      'A CSV file: line, verdict, reason, old_path, new_path, status_code, is_regex, current_new_path, current_status_code, redirect_id.',
    errors: ['IMPORT_NOT_FOUND', 'NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.checkedFile } },
  },
  'GET /api/imports/:id/errors': {
    id: 'getImportErrors',
    tag: 'Import of files',
    summary: 'Download the bad rows',
    text: 'Every one, also beyond the 1,000 that the import answers.',
    answer: 'A CSV file: line, column, code, message, old_path.',
    errors: ['IMPORT_NOT_FOUND', 'NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.import } },
  },
  'POST /api/v1/redirects/bulk': {
    id: 'importRedirectsV1',
    tag: 'Bulk import and export',
    summary: 'Import redirects',
    text: 'Applied in order: an entry whose path is there already is updated in what it gives, any other is created. Bad entries are counted and listed, the others applied, all together. At most 2 GiB, with `Content-Encoding: gzip` counted after decompression; the fields may come in any order. As `application/x-ndjson` the body is one entry a line, and the other fields are query parameters.',
    answer: 'What became of the entries.',
    errors: [...IMPORT, 'DUPLICATE_FIELD'],
    example: {
      body: {
        website_id: '1',
        group_id: 'relaunch',
        target_environments: ['production'],
        redirects: [
          { old_path: '/team', new_path: '/company/team', status_code: 301 },
          { old_path: '/press', new_path: '/press' },
        ],
      },
    },
  },
  'GET /api/v1/redirects/bulk/export': {
    id: 'exportRedirectsV1',
    tag: 'Bulk import and export',
    summary: 'Export redirects',
    text: 'Streamed from one snapshot, in byte order of the canonical path. `json`, `csv` and `ndjson` hold everything and can be imported again; the others are the configuration of a server for the rules of one environment. What such a server cannot express is 422, or with `lossy=true` a comment. If the answer breaks off, the connection is cut.',
    answer: 'The redirects in the format that was asked for.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR'],
    example: { query: { website_id: '1', group_id: 'relaunch' } },
  },
  'GET /api/v1/imports': {
    id: 'listImportsV1',
    tag: 'Bulk import and export',
    summary: 'List imports',
    answer: 'The imports of the website, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: '1', limit: 1 } },
  },
  'GET /api/v1/imports/:id': {
    id: 'getImportV1',
    tag: 'Bulk import and export',
    summary: 'Show an import',
    text: 'While it runs and afterwards.',
    answer: 'The import.',
    errors: ['IMPORT_NOT_FOUND', 'NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.import } },
  },
};
