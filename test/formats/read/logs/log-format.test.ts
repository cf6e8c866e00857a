/** The readers of access logs: src/formats/read/logs. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  createLogReader,
  LOG_FORMATS,
  type LogFormat,
  recognizeLog,
} from '../../../../src/formats/read/logs/log-format.ts';
import type { LogLine } from '../../../../src/formats/read/logs/log-line.ts';
import { createLineBlocks } from '../../../../src/formats/read/logs/log-lines.ts';
import { createLocalTimes } from '../../../../src/formats/read/logs/times.ts';

const options = { localTime: createLocalTimes('UTC'), header: '' };

/** The same three requests, written as the documentation of each server shows its lines. */
const SOURCES: Record<LogFormat, string> = {
  combined:
    'https://httpd.apache.org/docs/2.4/logs.html#combined, https://nginx.org/en/docs/http/ngx_http_log_module.html',
  common: 'https://httpd.apache.org/docs/2.4/logs.html#common',
  caddy: 'https://caddyserver.com/docs/logging#structured-logs',
  json: 'docs/logs.md',
  cloudfront: 'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html',
  alb: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html',
  fastly: 'https://docs.fastly.com/en/guides/custom-log-formats',
  iis: 'https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging',
};

/** Fields that the lines of a format do not have. */
const ABSENT: Record<LogFormat, (keyof LogLine)[]> = {
  combined: ['host'],
  common: ['host', 'userAgent', 'referer'],
  caddy: [],
  json: [],
  cloudfront: [],
  alb: ['host', 'referer'],
  fastly: [],
  iis: [],
};

const REQUESTS: Omit<LogLine, 'time'>[] = [
  {
    host: 'www.shop.example',
    method: 'GET',
    uri: '/old?size=9',
    status: 301,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/120.0',
    remoteAddr: '203.0.113.9',
    referer: 'https://from.example/page',
  },
  {
    host: 'www.shop.example',
    method: 'GET',
    uri: '/missing%20page',
    status: 404,
    userAgent: 'curl/8.5.0',
    remoteAddr: '2001:db8::1',
    referer: '',
  },
  {
    host: 'www.shop.example',
    method: 'HEAD',
    uri: '/',
    status: 200,
    userAgent: 'Bot "x" \xc3\xa9',
    remoteAddr: '203.0.113.10',
    referer: '',
  },
];

function linesOf(bytes: Buffer): string[] {
  const lines: string[] = [];
  for (const block of createLineBlocks().blocks(bytes))
    lines.push(...block.bytes.toString('latin1').split(/\r?\n/).slice(0, -1));
  return lines;
}

describe.each(LOG_FORMATS)('%s', (format) => {
  const lines = linesOf(readFileSync(`test/fixtures/logs/${format}.txt`));

  test(`is recognized, and read as its documentation says (${SOURCES[format]})`, () => {
    expect(recognizeLog(lines)).toBe(format);
    const read = createLogReader(format, options);
    const found = lines.map((line) => read(line)).filter((line) => line !== 'directive');
    const expected = REQUESTS.map((request) => {
      const line = { ...request, ...Object.fromEntries(ABSENT[format].map((name) => [name, ''])) };
      // A load balancer logs the whole URL.
      return format === 'alb' ? { ...line, uri: `https://www.shop.example:443${line.uri}` } : line;
    });
    expect(
      found.map((line) => ({ ...(line as LogLine), time: undefined, host: line?.host.replace(/:8443$/, '') })),
    ).toEqual(expected.map((line) => ({ ...line, time: undefined })));
    const seconds = found.map((line) => new Date(line?.time ?? 0).toISOString().slice(0, 19));
    expect(seconds).toEqual(['2026-11-20T10:00:00', '2026-11-20T10:00:01', '2026-11-20T10:00:02']);
  });

  test('returns undefined for every damaged line, and reads the next one', () => {
    const [line = '', last = ''] = lines.filter((each) => !each.startsWith('#'));
    const read = createLogReader(format, options);
    for (const directive of lines.filter((each) => each.startsWith('#')))
      if (directive.includes('s-port') || format === 'cloudfront') read(directive);
    const hostile = [
      '',
      ' ',
      '"',
      '{}',
      '{"a":',
      '[',
      '-',
      '\\',
      line.slice(0, 20),
      line.replace(' 301 ', ' abc ').replace('": 301', '": "x"').replace('":301', '":null').replace('\t301\t', '\t-\t'),
      'x'.repeat(70_000),
      '" '.repeat(30_000),
      '] "'.repeat(20_000),
      '\\"'.repeat(30_000),
      '{'.repeat(50_000),
    ];
    for (const each of hostile) expect(read(each), each.slice(0, 60)).toBeUndefined();
    expect(read(last)).toMatchObject({ status: 404 });
  });
});

test('a virtual host before the address gives the host', () => {
  const read = createLogReader('combined', options);
  const line = 'www.shop.example:443 203.0.113.9 - - [20/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 301 1 "-" "-"';
  expect(recognizeLog([line])).toBe('combined');
  expect(read(line)).toMatchObject({ host: 'www.shop.example', remoteAddr: '203.0.113.9', userAgent: '' });
});

test('times without a zone are of the given zone, also around the end of summer time', () => {
  const berlin = createLocalTimes('Europe/Berlin');
  const utc = (text: string): string => new Date(berlin(text) ?? 0).toISOString();
  expect(utc('2026-07-01 12:00:00')).toBe('2026-07-01T10:00:00.000Z');
  expect(utc('2026-12-01 12:00:00')).toBe('2026-12-01T11:00:00.000Z');
  expect(utc('2026-10-25 02:30:00')).toBe('2026-10-25T00:30:00.000Z');
  expect(utc('2026-10-25 03:30:00')).toBe('2026-10-25T02:30:00.000Z');
  const read = createLogReader('iis', {
    localTime: berlin,
    header: '#Fields: date time cs-method cs-uri-stem sc-status',
  });
  expect(read('2026-07-01 12:00:00 GET /a 301')).toMatchObject({ time: Date.UTC(2026, 6, 1, 10) });
  expect(read('2026-02-30 12:00:00 GET /a 301')).toBeUndefined();
});

test('blocks have whole lines, whatever the chunks; of a line that is too long, parts', () => {
  const text = `one\ntwo\n${'x'.repeat(200_000)}\nthree\nunfinished`;
  for (const size of [1, 7, 64 * 1024, 300_000]) {
    const { blocks } = createLineBlocks();
    let [whole, long] = ['', 0];
    for (let at = 0; at < text.length; at += size)
      for (const { bytes, tooLong } of blocks(Buffer.from(text.slice(at, at + size)))) {
        if (!tooLong) whole += bytes.toString();
        else if (bytes.at(-1) === 10) long++;
      }
    expect([whole.replace(/x+\n/, ''), long + (whole.includes('x') ? 1 : 0)]).toEqual(['one\ntwo\nthree\n', 1]);
  }
});
