/** Holds the rules of src/formats/read/csv/column-role.ts, conditions.ts, map-row.ts and website-options.ts. */
// One small file as each tool writes it, and its exact result.
import { describe, expect, test } from 'vitest';

import { csvRow, readCsv } from './csv-file.ts';

/** The notice of an option that the website has as `current`. `sides`: the lines by the value that their rows want. */
function optionNotice(column: string, current: string, sides: Record<string, number[]>) {
  const all = Object.entries(sides).map(([value, lines]) => ({
    value,
    count: lines.length,
    lines: lines.slice(0, 20),
  }));
  const advised = all.find(({ value }) => value !== current);
  return { code: 'WEBSITE_OPTION', column, value: advised?.value, count: advised?.count, current, sides: all };
}

describe('files with a header', () => {
  test('two headers of Shopify among others are no file of Shopify, whose wildcards are text', async () => {
    const { rows, errors } = await readCsv('Redirect from,Redirect to,Code,Owner\n/wild/*,/w/$1,301,me\n', {
      ignoreUnknown: true,
    });
    expect([rows, errors.map(({ code }) => code)]).toEqual([[], ['AMBIGUOUS_WILDCARD']]);
    const own = await readCsv('Redirect from,Redirect to\n/wild/*,/w/$1\n');
    expect(own.errors).toEqual([]);
  });

  test('our own export is read without loss, its ids and times counted as ignored', async () => {
    const { rows, errors, layout } = await readCsv(
      'id,old_path,new_path,status_code,is_regex,group_id,website_id,target_environments,notes,deployed_to_prod,deployed_to_staging,deployed_to_dev,created_at,updated_at\n' +
        '7,/a,/b,308,false,spring,3,"production,staging","two\r\nlines, ""quoted""",2026-01-02T03:04:05Z,,,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z\n' +
        '8,^/c/(.*)$,/d/$1,301,true,,3,,,,,,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z\n',
    );
    expect(errors).toEqual([]);
    expect(rows).toEqual([
      csvRow(2, '/a', {
        newPath: '/b',
        statusCode: 308,
        isRegex: false,
        groupId: 'spring',
        websiteId: 3,
        environments: 'production,staging',
        notes: 'two\r\nlines, "quoted"',
      }),
      csvRow(4, '^/c/(.*)$', {
        newPath: '/d/$1',
        statusCode: 301,
        isRegex: true,
        groupId: null,
        websiteId: 3,
        environments: '',
        notes: null,
      }),
    ]);
    expect(layout.notices).toEqual([
      { code: 'COLUMN_IGNORED', column: 'id', count: 2 },
      { code: 'COLUMN_IGNORED', column: 'deployed_to_prod', count: 1 },
      { code: 'COLUMN_IGNORED', column: 'created_at', count: 2 },
      { code: 'COLUMN_IGNORED', column: 'updated_at', count: 2 },
    ]);
  });

  test('WordPress Redirection: code is the status, a disabled rule a draft, title the note, type an action', async () => {
    const { rows, errors, layout } = await readCsv(
      'source,target,regex,code,type,hits,title,status\n' +
        '"/old","/new",0,301,"url",12,"Moved ""page""","active"\n' +
        '"^/blog/(\\d+)$","/news/$1",1,302,"url",0,"","disabled"\n' +
        '"/gone","",0,410,"error",0,"","active"\n' +
        '"/any","",0,301,"random",0,"","active"\n',
    );
    expect(rows).toEqual([
      csvRow(2, '/old', { newPath: '/new', isRegex: false, statusCode: 301, notes: 'Moved "page"' }),
      csvRow(3, '^/blog/(\\d+)$', {
        newPath: '/news/$1',
        isRegex: true,
        statusCode: 302,
        notes: null,
        draft: true,
      }),
      csvRow(4, '/gone', { newPath: null, isRegex: false, statusCode: 410, notes: null }),
    ]);
    expect(errors).toEqual([
      {
        line: 5,
        column: 'row',
        code: 'CONDITION_NOT_SUPPORTED',
        message: 'type is "random"; only url and error can be imported; leave the row out',
        oldPath: '/any',
      },
    ]);
    expect(layout.notices).toEqual([
      { code: 'COLUMN_IGNORED', column: 'hits', count: 3 },
      { code: 'DISABLED_AS_DRAFT', column: 'target_environments', count: 1 },
      optionNotice('query', 'pass', { exact: [2, 3, 4] }),
    ]);
  });

  test('WordPress Redirection with a group: the group is kept', async () => {
    const { rows } = await readCsv(
      'source,target,regex,code,type,hits,title,status,group\n/a,/b,0,301,url,0,,active,Redirections\n',
    );
    expect(rows[0]?.groupId).toBe('Redirections');
  });

  test('Vercel: permanent is 308 or 307, case is a website option, dropping the query is an error row', async () => {
    const { rows, errors, layout } = await readCsv(
      'source,destination,statusCode,permanent,caseSensitive,preserveQueryParams\n' +
        '/a,/b,,true,false,true\n/c,/d,,f,,\n/e,/f,302,,,t\n/g,/h,301,false,,\n/i,/j,308,,,false\n',
    );
    expect(rows).toEqual([
      csvRow(2, '/a', { newPath: '/b', statusCode: 308 }),
      csvRow(3, '/c', { newPath: '/d', statusCode: 307 }),
      csvRow(4, '/e', { newPath: '/f', statusCode: 302 }),
      csvRow(5, '/g', { newPath: '/h', statusCode: 301 }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [6, 'row', 'CONDITION_NOT_SUPPORTED'],
    ]);
    expect(errors[0]?.message).toBe(
      'preserveQueryParams is "false", but the website\'s query option is "pass"; set it to "drop", or map the column "preserveQueryParams" to \'\' to import without it',
    );
    expect(layout.notices).toEqual([
      optionNotice('query', 'pass', { pass: [2, 4], drop: [3, 5] }),
      optionNotice('case_sensitive', 'true', { false: [2, 3, 4, 5] }),
    ]);
  });

  test('Cloudflare with API names: host/path counts as an address, subpaths become a pattern', async () => {
    const { rows, errors } = await readCsv(
      'source_url,target_url,status_code,preserve_query_string,include_subdomains,subpath_matching,preserve_path_suffix\n' +
        'example.com/a,https://example.com/b,301,TRUE,FALSE,FALSE,TRUE\n' +
        'https://example.com/shop/,https://example.com/store/,302,,,TRUE,\n' +
        'example.com/x,https://example.com/y,301,,,TRUE,FALSE\n' +
        'example.com/s,https://example.com/t,301,,TRUE,,\n' +
        'other.com/a,https://example.com/b,301,,,,\n',
    );
    expect(rows).toEqual([
      csvRow(2, '/a', { newPath: '/b', statusCode: 301 }),
      csvRow(3, '^/shop(?:/(.*))?$', {
        newPath: '/store/$1',
        statusCode: 302,
        isRegex: true,
      }),
      csvRow(4, '^/x(?:/.*)?$', { newPath: '/y', statusCode: 301, isRegex: true }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [5, 'row', 'CONDITION_NOT_SUPPORTED'],
      [6, 'old_path', 'SOURCE_HOST_MISMATCH'],
    ]);
  });

  test('source_url without host: add_slash adds the slash, and only a dotted name is a host', async () => {
    const content = 'source_url,target_url\nold/page,/b\nold.example/page,/c\n';
    const { rows, errors } = await readCsv(content, { addSlash: true });
    expect(rows).toEqual([csvRow(2, '/old/page', { newPath: '/b' })]);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[3, 'SOURCE_HOST_MISMATCH']]);
  });

  test('Shopify: the two columns of its export', async () => {
    const { rows, errors } = await readCsv('Redirect from,Redirect to\n/products/a,/collections/all\n/b,/\n');
    expect(errors).toEqual([]);
    expect(rows).toEqual([
      csvRow(2, '/products/a', { newPath: '/collections/all' }),
      csvRow(3, '/b', { newPath: '/' }),
    ]);
  });

  test('Matrixify: every command but DELETE adds or updates', async () => {
    const { rows, errors, layout } = await readCsv(
      'ID,Path,Command,Target\n1,/a,MERGE,/b\n,/c,NEW,/d\n3,/e,DELETE,\n4,/g,IGNORE,/h\n',
    );
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b' }), csvRow(3, '/c', { newPath: '/d' })]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [4, 'row', 'DELETE_NOT_SUPPORTED'],
      [5, 'row', 'CONDITION_NOT_SUPPORTED'],
    ]);
    expect(layout.notices).toEqual([{ code: 'COLUMN_IGNORED', column: 'ID', count: 1 }]);
  });

  test('Yoast Premium: Type is the status, Format says what is a pattern', async () => {
    const { rows, errors } = await readCsv(
      'Origin,Target,Type,Format\n"/a","/b","301","plain"\n"^/c/(.*)","/d/$1","307","regex"\n"/e","","410","plain"\n',
    );
    expect(errors).toEqual([]);
    expect(rows).toEqual([
      csvRow(2, '/a', { newPath: '/b', statusCode: 301, isRegex: false }),
      csvRow(3, '^/c/(.*)', { newPath: '/d/$1', statusCode: 307, isRegex: true }),
      csvRow(4, '/e', { newPath: null, statusCode: 410, isRegex: false }),
    ]);
  });

  test('Rank Math PRO: contains, start and end become patterns, DELETE is an error row', async () => {
    const { rows, errors, layout } = await readCsv(
      'id,source,matching,destination,type,category,status,ignore\n' +
        '"1","old-page","exact","/new","301","news","active",""\n' +
        '"2","a.b","contains","/c$1","302","","active","case"\n' +
        '"3","shop","start","/store","301","","inactive",""\n' +
        '"4",".php","end","/","301","","active",""\n' +
        '"5","^old/(.*)","regex","/x/$1","301","","active",""\n' +
        '"6","bye","exact","DELETE","301","","active",""\n',
      { addSlash: true },
    );
    const common = { statusCode: 301, groupId: null };
    expect(rows).toEqual([
      csvRow(2, '/old-page', { ...common, newPath: '/new', isRegex: false, groupId: 'news' }),
      csvRow(3, '^/.*a\\.b.*$', { ...common, newPath: '/c$$1', statusCode: 302, isRegex: true }),
      csvRow(4, '^/shop.*$', { ...common, newPath: '/store', isRegex: true, draft: true }),
      csvRow(5, '^/.*\\.php/?$', { ...common, newPath: '/', isRegex: true }),
      csvRow(6, '^/old/(.*?)/?$', { ...common, newPath: '/x/$1', isRegex: true }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([[7, 'row', 'DELETE_NOT_SUPPORTED']]);
    expect(layout.notices).toEqual([
      { code: 'SLASH_ADDED', column: 'old_path', count: 2 },
      { code: 'COLUMN_IGNORED', column: 'id', count: 5 },
      { code: 'CONVERTED_TO_PATTERN', column: 'old_path', count: 3 },
      { code: 'DISABLED_AS_DRAFT', column: 'target_environments', count: 1 },
      { code: 'PATTERN_ANCHORED', column: 'old_path', count: 1 },
      optionNotice('case_sensitive', 'true', { true: [2, 4, 5, 6], false: [3] }),
    ]);
  });

  test('Akamai Edge Redirector: comment lines above the header and below it are skipped', async () => {
    const { rows, errors, layout } = await readCsv(
      '# - - - - - - - - - - - -,,,,,,,,,,,\n# Policy Type: Edge Redirector,,,,,,,,,,,\n' +
        'ruleName,matchURL,scheme,host,path,query,disabled,result.useIncomingQueryString,result.useIncomingSchemeAndHost,result.useRelativeUrl,result.redirectURL,result.statusCode\n' +
        'one,/a,,,,,,true,true,relative_url,/b,301\n' +
        '# a remark,,,,,,,,,,,\n' +
        'two,,,example.com,/c,,true,,,,/d,302\n' +
        'three,/e,https,,,,,,,,/f,301\n' +
        'four,,,,/g /h,,,,,,/i,301\n' +
        'five,/k*,,,,,,,,,/l,301\n',
    );
    expect(rows).toEqual([
      csvRow(4, '/a', { newPath: '/b', statusCode: 301, notes: 'one' }),
      csvRow(6, '/c', { newPath: '/d', statusCode: 302, notes: 'two', draft: true }),
      csvRow(9, '^/k(.*)$', { newPath: '/l', statusCode: 301, isRegex: true, notes: 'five' }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [7, 'row', 'CONDITION_NOT_SUPPORTED'],
      [8, 'old_path', 'CONDITION_NOT_SUPPORTED'],
    ]);
    expect(layout.notices).toEqual([
      { code: 'COLUMN_IGNORED', column: 'result.useIncomingSchemeAndHost', count: 1 },
      { code: 'COLUMN_IGNORED', column: 'result.useRelativeUrl', count: 1 },
      { code: 'HOST_REMOVED', column: 'old_path', count: 1 },
      { code: 'DISABLED_AS_DRAFT', column: 'target_environments', count: 1 },
      { code: 'CONVERTED_TO_PATTERN', column: 'old_path', count: 1 },
      optionNotice('query', 'pass', { drop: [6, 9], pass: [4] }),
      optionNotice('case_sensitive', 'true', { false: [6] }),
    ]);
  });

  test('Akamai: a path match has escaped spaces, one-character wildcards and a colon for case', async () => {
    const header = 'ruleName,matchURL,path,result.redirectURL,result.statusCode\n';
    const file = `${header}Old\\ page,,/old\\ page,/new,301\nA,,/imag?,/b,301\nC,,:/Case,/c,301\nD,,/x /y,/d,301\nE,/q?x=1,,/e,301\n`;
    const { rows, errors, layout } = await readCsv(file);
    expect(rows).toEqual([
      csvRow(2, '/old page', { newPath: '/new', statusCode: 301, notes: 'Old page' }),
      csvRow(4, '/Case', { newPath: '/c', statusCode: 301, notes: 'C' }),
      csvRow(6, '/q?x=1', { newPath: '/e', statusCode: 301, notes: 'E' }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [3, 'old_path', 'CONDITION_NOT_SUPPORTED'],
      [5, 'old_path', 'CONDITION_NOT_SUPPORTED'],
    ]);
    expect(layout.notices).toContainEqual(optionNotice('case_sensitive', 'true', { true: [4], false: [2] }));
    const ignoring = await readCsv(file, { caseSensitive: false });
    expect(ignoring.errors.map(({ line }) => line)).toEqual([3, 4, 5]);
  });

  test('Flecto: tabs, a match kind for each row, statuses by name', async () => {
    const { rows, errors } = await readCsv(
      'type\tsource\ttarget\tstatus\n' +
        'BASIC\t/a\t/b\tMOVED_PERMANENT\n' +
        'BASIC_HOST\texample.com/c\t/d\tFOUND\n' +
        'REGEX\t^/e/(.*)$\t/f/$1\t308\n' +
        'REGEX_HOST\t^example.com/g\t/h\t301\n',
    );
    expect(rows).toEqual([
      csvRow(2, '/a', { newPath: '/b', statusCode: 301, isRegex: false }),
      csvRow(3, '/c', { newPath: '/d', statusCode: 302, isRegex: false }),
      csvRow(4, '^/e/(.*)$', { newPath: '/f/$1', statusCode: 308, isRegex: true }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [5, 'row', 'CONDITION_NOT_SUPPORTED'],
    ]);
  });

  test('Pagely: plain and composed sources, conditions are error rows', async () => {
    const header =
      'from,to,fromScheme,fromDomain,fromPath,fromQueries,toScheme,toDomain,toPath,toQueries,statusCode,enabled,queryMode,description\n';
    const { rows, errors } = await readCsv(
      `${header}/a,/b,,,,,,,,,301,yes,preserve,first\n` +
        ',,,example.com,/dir::starts-with,,,,/d,,302,no,,\n' +
        ',,,other.com,/e,,,,/f,,301,yes,,\n' +
        ',,https,,/g,,,,/h,,301,yes,,\n' +
        '/i,/j,,,/k,,,,,,301,yes,,\n' +
        '/l,/m,,,,,,,,,301,yes,discard,\n',
    );
    expect(rows).toEqual([
      csvRow(2, '/a', { newPath: '/b', statusCode: 301, notes: 'first' }),
      csvRow(3, '^/dir.*$', { newPath: '/d', statusCode: 302, isRegex: true, draft: true, notes: null }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [4, 'old_path', 'SOURCE_HOST_MISMATCH'],
      [5, 'row', 'CONDITION_NOT_SUPPORTED'],
      [6, 'row', 'CONDITION_NOT_SUPPORTED'],
      [7, 'row', 'CONDITION_NOT_SUPPORTED'],
    ]);
  });

  test('RedirectIQ: wildcards and named parts become patterns', async () => {
    const { rows, errors } = await readCsv(
      'source_path,destination,type\n/a,https://example.com/b,301\n/blog/*,https://example.com/posts,302\n/p/[slug],https://example.com/[slug],301\n,https://example.com,301\n',
    );
    expect(rows).toEqual([
      csvRow(2, '/a', { newPath: '/b', statusCode: 301 }),
      csvRow(3, '^/blog/(.+)$', { newPath: '/posts', statusCode: 302, isRegex: true }),
      csvRow(4, '^/p/([^/]+)$', { newPath: '/$1', statusCode: 301, isRegex: true }),
      csvRow(5, '^/.*$', { newPath: 'https://example.com', statusCode: 301, isRegex: true }),
    ]);
    expect(errors).toEqual([]);
  });

  test('SiteDetour: the domain must be a host of the website, a forwarded path is appended to the target', async () => {
    const { rows, errors, layout } = await readCsv(
      'source_domain,path,match_type,target_url,redirect_type,forward_path,forward_query,team,tags\n' +
        'example.com,/a,exact,https://example.com/b,301,false,true,web,spring\n' +
        'EXAMPLE.com.,/c,starts_with,https://example.com/d,302,true,true,,\n' +
        'other.com,/e,exact,https://example.com/f,301,,,,\n',
    );
    expect(rows).toEqual([
      csvRow(2, '/a', {
        newPath: '/b',
        statusCode: 301,
        isRegex: false,
        groupId: 'spring',
      }),
      csvRow(3, '^/c(.*)$', {
        newPath: '/d$1',
        statusCode: 302,
        isRegex: true,
        groupId: null,
      }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [4, 'old_path', 'SOURCE_HOST_MISMATCH'],
    ]);
    expect(layout.notices).toEqual([
      { code: 'HOST_REMOVED', column: 'old_path', count: 2 },
      { code: 'HOST_REMOVED', column: 'new_path', count: 2 },
      { code: 'COLUMN_IGNORED', column: 'team', count: 1 },
      { code: 'CONVERTED_TO_PATTERN', column: 'old_path', count: 1 },
    ]);
  });

  test('klq.to: paths have no slash, and a rule with an end date is an error row', async () => {
    const { rows, errors, layout } = await readCsv(
      'path,location,validUntilUrl,validUntil,timezone\na,https://example.com/b,,,Europe/Berlin\n/c,https://example.com/d,,2027-01-01,UTC\n',
    );
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b' })]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [3, 'row', 'CONDITION_NOT_SUPPORTED'],
    ]);
    expect(layout.notices).toEqual([
      { code: 'SLASH_ADDED', column: 'old_path', count: 1 },
      { code: 'HOST_REMOVED', column: 'new_path', count: 1 },
      { code: 'COLUMN_IGNORED', column: 'timezone', count: 1 },
    ]);
  });

  test("Magento SEO suites: source is the rule's author, paths have no slash", async () => {
    const { rows, errors, layout } = await readCsv(
      'request_path,target_path,redirect_type,store_id,source,created_by,batch_id,notes,hit_count,last_hit_at,created_at\n' +
        'old.html,/new.html,301,1,manual,admin,,Moved,42,2026-04-24 18:32:11,2026-04-20 09:15:00\n',
      { addSlash: true },
    );
    expect(errors).toEqual([]);
    expect(rows).toEqual([csvRow(2, '/old.html', { newPath: '/new.html', statusCode: 301, notes: 'Moved' })]);
    expect(layout.notices.map(({ code, column }) => [code, column])).toEqual([
      ['SLASH_ADDED', 'old_path'],
      ['COLUMN_IGNORED', 'store_id'],
      ['COLUMN_IGNORED', 'source'],
      ['COLUMN_IGNORED', 'created_by'],
      ['COLUMN_IGNORED', 'hit_count'],
      ['COLUMN_IGNORED', 'last_hit_at'],
      ['COLUMN_IGNORED', 'created_at'],
      ['WEBSITE_OPTION', 'case_sensitive'],
    ]);
  });

  test('Shlink: the long URL is the target, the short code the source, and the status 302', async () => {
    const { rows, errors, layout } = await readCsv(
      'Long URL,Short code,Domain,Title,Tags\nhttps://example.com/b,abc,,Ad,spring\nhttps://example.com/e,c,example.com,,\nhttps://example.com/d,d,s.other.com,,\n',
    );
    expect(rows).toEqual([
      csvRow(2, '/abc', { newPath: '/b', statusCode: 302, notes: 'Ad', groupId: 'spring' }),
      csvRow(3, '/c', { newPath: '/e', statusCode: 302, notes: null, groupId: null }),
    ]);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[4, 'SOURCE_HOST_MISMATCH']]);
    expect(layout.notices.map(({ code, column, count }) => [code, column, count])).toContainEqual([
      'HOST_REMOVED',
      'old_path',
      1,
    ]);
  });

  test('Screaming Frog: the final address is the target, not the hops between', async () => {
    const { rows, errors, layout } = await readCsv(
      'Address,Status Code,Status,Redirect URL,Final Address,Number of Redirects\n' +
        'https://example.com/a,301,Moved Permanently,https://example.com/b,https://example.com/c,2\n',
    );
    expect(errors).toEqual([]);
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/c', statusCode: 301 })]);
    expect(layout.notices).toEqual([
      { code: 'HOST_REMOVED', column: 'old_path', count: 1 },
      { code: 'HOST_REMOVED', column: 'new_path', count: 1 },
      { code: 'COLUMN_IGNORED', column: 'Status', count: 1 },
      { code: 'COLUMN_IGNORED', column: 'Redirect URL', count: 1 },
      { code: 'COLUMN_IGNORED', column: 'Number of Redirects', count: 1 },
    ]);
  });
});

describe('files without a header', () => {
  test('a path first: source, target and status by position, the status if a row has one', async () => {
    const { rows, errors, layout } = await readCsv('/a,/b\n/c,/d,302\n/e,/f,\n');
    expect(errors).toEqual([]);
    expect(layout.headerLine).toBeUndefined();
    expect(rows).toEqual([
      csvRow(1, '/a', { newPath: '/b' }),
      csvRow(2, '/c', { newPath: '/d', statusCode: 302 }),
      csvRow(3, '/e', { newPath: '/f' }),
    ]);
  });

  test('a URL first: its path is the source', async () => {
    const { rows } = await readCsv('https://EXAMPLE.com:8443/a?b=1;/c;308\n');
    expect(rows).toEqual([csvRow(1, '/a?b=1', { newPath: '/c', statusCode: 308 })]);
  });

  test('the seven columns of Cloudflare are recognised by their shape', async () => {
    const { rows, errors } = await readCsv(
      'example.com/a,https://example.com/b\nexample.com/c,https://example.com/d,302,TRUE,FALSE,TRUE,TRUE\nevil.example/c,https://example.com/d\n',
    );
    expect(rows).toEqual([
      csvRow(1, '/a', { newPath: '/b' }),
      csvRow(2, '^/c(/.*)?$', { newPath: '/d$1', statusCode: 302, isRegex: true }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [3, 'old_path', 'SOURCE_HOST_MISMATCH'],
    ]);
  });

  test('the nine columns of SEOPress PRO are recognised by their shape', async () => {
    const { rows, errors } = await readCsv(
      'category/my-post;https://example.com/x;301;yes;with_ignored_param;10;news;;both\n' +
        '^old/(.*);/y/$1;302;yes;with_ignored_param;;;yes;both\n' +
        'a;/b;301;yes;exact_match;0;;;both\nc;/d;301;yes;;0;;;only_logged_in\n',
      { addSlash: true },
    );
    expect(rows).toEqual([
      csvRow(1, '/category/my-post', { newPath: '/x', statusCode: 301, groupId: 'news' }),
      csvRow(2, '^/old/(.*)', { newPath: '/y/$1', statusCode: 302, groupId: null, isRegex: true }),
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [3, 'row', 'CONDITION_NOT_SUPPORTED'],
      [4, 'row', 'CONDITION_NOT_SUPPORTED'],
    ]);
  });

  test('a column without a header is mapped by its place, or by the name that the tool gives it', async () => {
    const file = 'a;/b;301;yes;exact_match;0;;;both\nc;/d;301;yes;;0;;;only_logged_in\n';
    const columns = { query: '', 'column 9': '' };
    const { rows, errors } = await readCsv(file, { addSlash: true, columns });
    expect([rows.map(({ oldPath }) => oldPath), errors]).toEqual([['/a', '/c'], []]);
    const placed = await readCsv('x,/a,/b,later\n', {
      columns: { 'Column 1': '', 'column 2': 'old_path', 'column 3': 'new_path', 'column 4': 'notes' },
    });
    expect(placed.rows).toEqual([csvRow(1, '/a', { newPath: '/b', notes: 'later' })]);
    await expect(readCsv('/a,/b,301,hello\n', { columns: { 'column 5': 'notes' } })).rejects.toThrow('column 5');
  });

  test('a fourth column has no role by its position', async () => {
    await expect(readCsv('/a,/b,301,hello\n')).rejects.toMatchObject({ code: 'UNKNOWN_COLUMN' });
    const { rows, layout } = await readCsv('/a,/b,301,hello\n', { ignoreUnknown: true });
    expect(rows).toEqual([csvRow(1, '/a', { newPath: '/b', statusCode: 301 })]);
    expect(layout.notices).toEqual([{ code: 'COLUMN_IGNORED', column: 'column 4', count: 1 }]);
  });

  test.each([
    ['Netlify', '/a /b 301\n/c /d 302!\n'],
    ['Netlify with conditions', '/a id=:id /b/:id 301 Country=us\n'],
    ['Apache', 'Redirect 301 /a /b\n'],
    ['nginx', 'rewrite ^/a$ /b permanent;\n'],
  ])('%s rules are not CSV and are rejected by name', async (_tool, content) => {
    await expect(readCsv(content)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'file', message: expect.stringContaining('not CSV') }],
    });
  });
});

describe('one notice for each option of the website', () => {
  const yoast = (count: number, rows: string): string =>
    `origin,target,type,format\n${Array.from({ length: count }, (_, at) => `p${at},q,301,plain\n`).join('')}${rows}`;

  test('Yoast: all values that rows want, with the first 20 lines of each', async () => {
    const { layout } = await readCsv(yoast(25, '^a/(.*),b/$1,301,regex\n^c/(.*),d/$1,301,regex\n'));
    const lines = Array.from({ length: 25 }, (_, at) => at + 2);
    const exact = { value: 'exact', count: 25, lines: lines.slice(0, 20) };
    expect(layout.notices).toContainEqual({
      ...{ code: 'WEBSITE_OPTION', column: 'query', value: 'exact', count: 25, current: 'pass' },
      sides: [exact, { value: 'drop', count: 2, lines: [27, 28] }],
    });
    const dropping = await readCsv(yoast(1, '^a/(.*),b/$1,301,regex\n^c/(.*),d/$1,301,regex\n'), { query: 'drop' });
    expect(dropping.layout.notices).toContainEqual(optionNotice('query', 'drop', { drop: [3, 4], exact: [2] }));
  });

  test('Cloudflare: a row without a cell wants another value than all others, which the website has', async () => {
    const { layout } = await readCsv(
      'https://example.com/a,https://x.example/a,301,true\nhttps://example.com/b,https://x.example/b,301,true\n' +
        'https://example.com/c,https://x.example/c,301,\n',
    );
    expect(layout.notices.filter(({ column }) => column === 'query')).toEqual([
      optionNotice('query', 'pass', { pass: [1, 2], drop: [3] }),
    ]);
  });

  test('Vercel: the column for case decides, so rows that compare it need no other website', async () => {
    const file = 'source,destination,permanent,caseSensitive\n/a,/b,true,true\n/c,/d,true,true\n';
    const about = async (options: Parameters<typeof readCsv>[1], text = file) =>
      (await readCsv(text, options)).layout.notices.filter(({ column }) => column === 'case_sensitive');
    expect(await about({})).toEqual([]);
    expect(await about({ caseSensitive: false })).toEqual([optionNotice('case_sensitive', 'false', { true: [2, 3] })]);
    expect(await about({}, `${file}/e,/f,true,\n/g,/h,true,false\n`)).toEqual([
      optionNotice('case_sensitive', 'true', { true: [2, 3], false: [4, 5] }),
    ]);
  });

  test('a file of no tool: a column for case is the wish of its rows, and other words are counted', async () => {
    const { layout } = await readCsv('old_path,new_path,case_sensitive\n/a,/b,false\n/c,/d,true\n/e,/f,sometimes\n');
    expect(layout.notices).toEqual([
      { code: 'WEBSITE_OPTION', column: 'case_sensitive', count: 1 },
      optionNotice('case_sensitive', 'true', { true: [3], false: [2] }),
    ]);
  });

  test('a row without a target wants neither passing nor dropping the query', async () => {
    const { layout } = await readCsv('Origin,Target,Type,Format\n/a,,410,plain\n^b/(.*),,410,regex\n');
    expect(layout.notices.find(({ column }) => column === 'query')?.sides).toEqual([
      { value: 'exact', count: 1, lines: [2] },
    ]);
  });
});
