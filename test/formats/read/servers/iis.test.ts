/** Holds the rules of src/formats/read/servers/iis/iis.ts, iis-rule.ts, rewrite-map.ts, http-redirect.ts and xml-tags.ts. */
import { expect, test } from 'vitest';
import { formatOf, readServerFile } from './read.ts';

const config = (rules: string, other = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n<system.webServer>\n<rewrite>\n<rules>\n${rules}\n</rules>\n${other}</rewrite>\n</system.webServer>\n</configuration>\n`;

const rule = (match: string, action: string, conditions = '', attributes = ''): string =>
  `<rule name="r"${attributes}><match ${match} />${conditions}<action type="Redirect" ${action} /></rule>`;

const condition = (attributes: string): string => `<conditions><add ${attributes} /></conditions>`;

test('the name or the root of the XML decides that a file is of IIS', async () => {
  expect(await formatOf(config(''))).toBe('iis');
  expect(await formatOf('<!-- maps\n -->\n<rewriteMaps>\n</rewriteMaps>')).toBe('iis');
  expect(await formatOf('<html>\n<body/></html>')).toBeUndefined();
  await expect(formatOf('<?xml version="1.0"?>\n<urlset/>')).rejects.toThrow('the file is XML, but not a web.config');
  await expect(formatOf('from,to', 'web.config')).rejects.toThrow('is named web.config');
});

test('expressions, wildcards, statuses and targets keep their meaning', async () => {
  const { rules, errors, notices } = await readServerFile(
    config(
      [
        rule('url="^a$"', 'url="/b"'),
        rule('url="^c/(\\d+)/?$"', 'url="d/{R:1}" redirectType="Found"'),
        rule(
          'url="e&amp;/*" ',
          'url="https://other.example/{R:1}" redirectType="Temporary"',
          '',
          ' patternSyntax="Wildcard"',
        ),
        rule('url="f g.html"', 'url="/f#g" redirectType="308"', '', ' patternSyntax="ExactMatch"'),
        rule('url="^h/.*$"', 'url="https://{HTTP_HOST}/i/{R:0}" appendQueryString="false"'),
        rule(
          'url="^j$"',
          'url="/&#252;?x=$1" redirectType="SeeOther"',
          condition('input="{QUERY_STRING}" pattern="^id=5$"'),
        ),
        rule('url=".*"', 'url="/k2"', condition('input="{URL}" pattern="^/k/(x|y)$"')),
        rule('url="^l$"', 'url="/m"', condition('input="{HTTP_HOST}" pattern="^(www\\.)?example\\.com$"')),
        '<rule name="gone"><match url="^n$"/><action type="CustomResponse" statusCode="410"/></rule>',
        rule('url="^o$"', 'url="/p"', '', ' enabled="false"'),
        '<rule name="rewrite"><match url="^q$"/><action type="Rewrite" url="/r"/></rule>',
      ].join('\n'),
    ),
  );
  expect(errors).toEqual([]);
  expect(rules).toEqual([
    '301 /a /b',
    String.raw`302 ~^/c/(\d+)/?$ /d/$1`,
    '307 ~^/e&/(.*)$ https://other.example/$1',
    '308 /f g.html /f#g',
    '301 ~^/(h/.*)$ /i/$1',
    '303 /j?id=5 /ü?x=$1&id=5',
    '301 ~^/k/(x|y)$ /k2',
    '301 /l /m',
    '410 /n -',
    '301 /o /p',
  ]);
  expect(notices).toContain('DISABLED_AS_DRAFT target_environments 1');
  expect(notices).toContain('WEBSITE_OPTION case_sensitive false 10');
  expect(notices).toContain('WEBSITE_OPTION query pass 8, drop 1');
  expect(notices).toContain('QUERY_PAIRS old_path 1');
  expect(notices).toContain('NOT_A_REDIRECT Rewrite 1');
});

test('the entries of a rewrite map get the status and the options of the rule that uses it', async () => {
  const maps = `<rewriteMaps>
    <rewriteMap name="moved"><add key="/a" value="/b" /><add key="/c?id=1" value="d" /><add key="e" value="/f" /></rewriteMap>
    <rewriteMap name="plain"><add key="g" value="https://www.example.com/h" /><add key="/i" value="/j" /></rewriteMap>
    <rewriteMap name="unused"><add key="k" value="/l" /></rewriteMap>
    <rewriteMap name="internal"><add key="m" value="/n" /></rewriteMap>
    <rewriteMap name="rest" defaultValue="/"><add key="o" value="/p" /></rewriteMap>
  </rewriteMaps>`;
  const text = config(
    [
      rule('url=".*"', 'url="{C:1}" redirectType="Found"', condition('input="{moved:{REQUEST_URI}}" pattern="(.+)"')),
      rule(
        'url="(.*)"',
        'url="{plain:{R:1}}" appendQueryString="false"',
        condition('input="{plain:{R:1}}" pattern=".+"'),
      ),
      '<rule><match url=".*"/><action type="Rewrite" url="{internal:{URL}}"/></rule>',
      rule(
        'url=".*"',
        'url="{C:1}"',
        '<conditions><add input="{rest:{URL}}" pattern="(.+)"/><add input="{HTTPS}" pattern="on"/></conditions>',
      ),
    ].join('\n'),
    maps,
  );
  const { rules, errors, notices } = await readServerFile(text);
  expect(rules).toEqual(['302 /a /b', '302 /c?id=1 /d?id=1', '301 /g /h']);
  expect(errors.map((error) => error.replace(/; statement.*/, ''))).toEqual([
    '9 CONDITION_NOT_SUPPORTED the rule of a map has further conditions, which cannot be imported; keep this rule on the server',
    '12 CONDITION_NOT_SUPPORTED the rule of the map looks for paths with a leading slash; keep this rule on the server',
    '13 CONDITION_NOT_SUPPORTED the rule of the map looks for paths without a leading slash; keep this rule on the server',
    '14 CONDITION_NOT_SUPPORTED no rule of this file redirects with the map; put the rule and the map into one file',
    '16 CONDITION_NOT_SUPPORTED a target for all other paths cannot be imported; keep this rule on the server',
  ]);
  expect(notices).toContain('WEBSITE_OPTION query exact 1, drop 1');
});

test('httpRedirect redirects a website, a folder or a page', async () => {
  const element = (attributes: string, path?: string): string => {
    const text = `<system.webServer><httpRedirect enabled="true" ${attributes} /></system.webServer>`;
    return path === undefined ? text : `<location path="${path}">${text}</location>`;
  };
  const { rules, errors, notices } = await readServerFile(
    `<configuration>
${element('destination="/b" exactDestination="true" httpResponseStatus="Permanent"', 'a')}
${element('destination="https://other.example/d/"', 'c')}
${element('destination="/e" childOnly="true"', 'e')}
${element('destination="/f$Q"', 'f')}
${element('destination="/g" httpResponseStatus="Gone"', 'g')}
${element('destination="https://new.example/" httpResponseStatus="PermRedirect"')}
<appSettings><add key="a" value="b"/></appSettings>
</configuration>`,
  );
  expect(rules).toEqual([
    '301 ~^/a(/.*)?$ /b',
    '302 ~^/c(/.*)?$ https://other.example/d$1',
    '308 ~^/(.*)$ https://new.example/$1',
  ]);
  expect(errors.map((error) => error.split(' ')[1])).toEqual([
    'CONDITION_NOT_SUPPORTED',
    'CONDITION_NOT_SUPPORTED',
    'MALFORMED_ROW',
  ]);
  expect(notices).toContain('NOT_A_REDIRECT appSettings 1');
});

test('a rule that cannot be expressed is an error row that quotes it', async () => {
  const { errors } = await readServerFile(
    config(
      [
        rule('url="^a$" negate="true"', 'url="/b"'),
        rule('url="(.*)"', 'url="https://{HTTP_HOST}{REQUEST_URI}"', condition('input="{HTTPS}" pattern="off"')),
        rule('url="^a$"', 'url="/{ToLower:{R:0}}"'),
        rule('url="^a$"', 'url="/b"', condition('input="{REQUEST_FILENAME}" matchType="IsFile" negate="true"')),
        rule('url="^a$"', 'url="/b"', condition('input="{HTTP_HOST}" pattern="^other\\.example$"')),
        rule('url="a%20b"', 'url="/b"'),
        rule('url="^a$"', 'url="/b" redirectType="Sometimes"'),
        rule('url="^a$"', ''),
        rule('url="^(a|b)$"', 'url="/b"', condition('input="{QUERY_STRING}" pattern="^id=5$"')),
      ].join('\n'),
      '<rewriteMaps configSource="maps.config" />',
    ),
  );
  expect(errors.map((error) => error.replace(/; (keep|use|write|import) .*/, ''))).toEqual([
    '6 CONDITION_NOT_SUPPORTED a negated match cannot be imported',
    '7 CONDITION_NOT_SUPPORTED the condition on {HTTPS} cannot be imported',
    '8 CONDITION_NOT_SUPPORTED the target has {ToLower:{R:0}}, which cannot be imported',
    '9 CONDITION_NOT_SUPPORTED the condition on {REQUEST_FILENAME} cannot be imported',
    '10 CONDITION_NOT_SUPPORTED the condition on the host does not match all hosts of this website',
    '11 CONDITION_NOT_SUPPORTED the server compares decoded paths, so an escape such as %20 never matches',
    '12 MALFORMED_ROW redirectType is "Sometimes"',
    '13 MALFORMED_ROW the action has no url; add it; statement: <rule name="r"> <match url="^a$" /> <action type="Redirect"  /> </rule>',
    '14 CONDITION_NOT_SUPPORTED a pattern does not see the query',
    '16 CONDITION_NOT_SUPPORTED the rules are in the file maps.config',
  ]);
});

test('a tag over several lines, comments, CDATA and quotes are read', async () => {
  const { rules } = await readServerFile(
    config(`<!-- <rule> -- > --><rule\n name='a > b'\n>\n<match\n url="^a$"\n/><![CDATA[ <rule> ]]>\n<action type='Redirect'
      url='/b?x="1"&lt;'/></rule>`),
  );
  expect(rules).toEqual(['301 /a /b?x="1"<']);
});

test.each([
  ['<configuration><system.webServer>', 'the XML ends before it is complete'],
  ['<configuration>\n<rule name="', 'line 2: the XML ends before it is complete'],
  ['<configuration>\n<!-- x', 'the XML ends before it is complete'],
  ['<!DOCTYPE configuration [<!ENTITY a "b">]>\n<configuration/>', 'line 1: a DOCTYPE'],
  ['<configuration a="&xxe;"/>', '&xxe; is not allowed in XML'],
  ['<configuration a="b & c"/>', '& is not allowed in XML'],
  ['<configuration a="&#0;"/>', '&#0; is not allowed in XML'],
  ['<configuration a="&#xD800;"/>', '&#xD800; is not allowed in XML'],
  ['<configuration a="&constructor;"/>', '&constructor; is not allowed in XML'],
  ['<configuration><a></b></configuration>', '</b> closes no element'],
  ['<configuration/><configuration/>', 'there is a tag after the end'],
  ['<configuration/>x', 'there is text outside of the XML'],
  ['<configuration a="1" a="2"/>', 'the attribute a is repeated'],
  ['<configuration a=1/>', 'this is not an XML tag'],
  [`<configuration>${'<a>'.repeat(60)}`, 'nested too deeply'],
  [`<configuration ${'a\n'.repeat(9000)}`, 'a tag is longer than 16 KiB'],
  [`<configuration><rule>${'<add/>'.repeat(300)}</rule></configuration>`, 'an element has over 200 others'],
])('the XML %j is rejected as a whole', async (content, message) => {
  await expect(readServerFile(content)).rejects.toThrow(message);
});

test('a hostile file ends quickly', async () => {
  const start = performance.now();
  const quotes = `<configuration ${'"\n'.repeat(8000)}`;
  for (const content of [quotes, `<configuration>${'<'.repeat(60_000)}`, `<configuration>${"<a b='".repeat(9000)}`])
    await expect(readServerFile(content)).rejects.toThrow('file');
  expect(performance.now() - start).toBeLessThan(5000);
});
