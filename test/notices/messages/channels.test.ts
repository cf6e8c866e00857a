/**
 * The bodies for Slack, Discord, Teams and mail: they fit the schemas of the channels, and texts of others never become
 * markup, links, mentions or lines. Holds the rules of src/notices/messages/slack.ts, discord.ts, teams.ts, mail.ts and
 * write-text.ts.
 */
import { describe, expect, test } from 'vitest';
import { renderDiscord } from '../../../src/notices/messages/discord.ts';
import { renderMail } from '../../../src/notices/messages/mail.ts';
import { renderSlack } from '../../../src/notices/messages/slack.ts';
import { renderTeams } from '../../../src/notices/messages/teams.ts';
import { NOTICE_KINDS } from '../../../src/vocabulary/notices.ts';
import { CHANNELS, expectHarmless, UNSUBSCRIBE } from '../../support/notices/harmless.ts';
import { FULL_DIGEST, messageOf, messagesWith } from '../../support/notices/signals.ts';
import { seeded } from '../../support/random.ts';
import { inSoak } from '../../support/soak.ts';

const HOSTILE = [
  'plain',
  '<b>bold</b><script>alert(1)</script><a href="https://evil.example">x</a>',
  `"'><img src=x onerror=alert(1)>&lt;at&gt;`,
  '<https://evil.example|Sign in> <!channel> <!here> <@U024BE7LH> <#C024BE7LR> <t:1700000000:R>',
  '*bold* _italic_ ~strike~ `code` ```block``` ||spoiler|| __under__ \\*',
  '# heading',
  '- item',
  '+ item',
  '1. item',
  '> quote',
  '[Sign in](https://evil.example) ![x](https://evil.example/x.png) [a]: https://evil.example',
  'https://evil.example/a?b=c#d http://1.2.3.4 //evil.example www.evil.example evil.example evil。example',
  'mailto:a@evil.example tel:+123 javascript:alert(1) HTTPS://EVIL.EXAMPLE a@evil.example 💩.la [::1] ftp://x',
  '@everyone @here @jo #general ＠jo',
  'a\r\nBcc: x@y.example\r\n\r\n# b\u2028c\u2029d\u0085e\tf\vg\0h\u001b[31m',
  'left \u202e\u2066 right \u200f\u200e\u061c zero\u200bwidth\u200d\u2060\ufeff soft\u00adhyphen \ue000 \u{e0041}',
  'lone \ud800 and \udc00 surrogates',
  '{{DATE(2017-02-14T06:08:00Z,SHORT)}} {{TIME(2017-02-14T06:08:00Z)}} ${name} {{name}} <at>Jo</at>',
  '&amp; &#60;b&#62; &lt;b&gt;',
  ':smile: <:name:123> <a:name:123>',
];
/** Texts that get longer when they are escaped. */
const LONG = ['a', '&', '<', '*', '@', '.a', '{', '\u{1f4a9}.', '\\', '"', "'", 'é', '\ud800'].map((unit) =>
  unit.repeat(10_000),
);

const nameOf = (text: string): string => JSON.stringify(text).slice(0, 60);
const LINES = /\n/g;
const shapeOf = (texts: readonly string[]): number[] => texts.map((text) => text.match(LINES)?.length ?? 0);

describe.each(Object.keys(CHANNELS))('%s', (name) => {
  const channel = CHANNELS[name] ?? expect.fail('no channel');

  const expected = messagesWith('x').map(({ kind, message }) => [kind, shapeOf(channel.read(message).texts)]);

  function check(text: string): void {
    const shapes = messagesWith(text).map(({ kind, message }) => {
      const { texts, links } = channel.read(message);
      expectHarmless(texts);
      expect(links).toEqual(channel.links(message));
      return [kind, shapeOf(texts)];
    });
    expect(shapes).toEqual(expected);
  }

  test.each(NOTICE_KINDS)('a message of %s fits the schema and shows its title, lines and count', (kind) => {
    const message = messageOf(kind, { more: 214 });
    const shown = channel.read(message).texts.join('\n').replaceAll('\u200b', '');
    const textOf = (parts: typeof message.title): string =>
      parts.map((part) => (typeof part === 'string' ? part : part.foreign)).join('');
    for (const text of [message.title, ...message.lines]) expect(shown).toContain(textOf(text));
    expect(shown).toContain('and 214 more');
    expect(shown).toContain('Sent by the notice Team');
    for (const { heading, rows } of message.sections ?? []) {
      expect(shown).toContain(heading);
      for (const { label, value } of rows) {
        expect(shown).toContain(textOf(label));
        expect(shown).toContain(value);
      }
    }
  });

  test('without further causes, it counts none', () => {
    expect(channel.read(messageOf('urls.lost')).texts.join('\n')).not.toContain('more');
  });

  test.each([...HOSTILE, ...LONG].map((text) => [nameOf(text), text]))('%s stays text', (_name, text) => check(text));

  test('random texts stay text', () => {
    const random = seeded(31);
    const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? '';
    const parts = [...'<>&*_~`|[](){}\\#@:/.-+="\'!\n\r\t a1é。💩', '://', 'www.', '{{', '\u202e', '\u200b', '\ud83d'];
    for (let n = 0; n < inSoak(3_000, 20); n++) {
      const length = Math.floor(random() ** 4 * 2_000);
      const any = (): string => String.fromCharCode(Math.floor(random() * 65_536));
      check(Array.from({ length }, () => (random() < 0.7 ? pick(parts) : any())).join(''));
    }
  });
});

test('a long text ends with an ellipsis; a channel with a lower limit shortens more', () => {
  const path = 'p'.repeat(10_000);
  const shown = (body: string): number[] => [...body.matchAll(/p+(?=…)/g)].map(([cut]) => cut.length);
  const message = messageOf('not_found.burst', { data: { path } });
  expect(shown(renderTeams(message))).toEqual([199]);
  expect(shown(renderDiscord(message))).toEqual([199]);
  expect(shown(renderSlack(message))).toEqual([99, 99]);
  expect(shown(renderMail({ message, unsubscribeUrl: UNSUBSCRIBE }).subject)).toEqual([99]);
  const topRedirects = FULL_DIGEST.topRedirects.map((row) => ({ ...row, path: '&'.repeat(300) }));
  const digest = renderSlack(messageOf('digest.weekly', { data: { topRedirects } }));
  expect([...digest.matchAll(/(?:&amp;)+(?=…)/g)].map(([cut]) => cut.length / 5)).toEqual(Array(5).fill(99));
});
