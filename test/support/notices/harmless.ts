/** Reads the bodies of channels as their clients do, and checks that texts of others stay text. */
import { Parser } from 'htmlparser2';
import { expect } from 'vitest';
import { renderDiscord } from '../../../src/notices/messages/discord.ts';
import { renderMail } from '../../../src/notices/messages/mail.ts';
import type { Message } from '../../../src/notices/messages/message.ts';
import { renderSlack } from '../../../src/notices/messages/slack.ts';
import { renderTeams } from '../../../src/notices/messages/teams.ts';
import { discordBody, MAX_TEAMS_BYTES, slackBody, teamsBody } from './channel-schemas.ts';

export const UNSUBSCRIBE = 'https://detour.example.com/notices/unsubscribe#token';

/** Parts of a body: a text has the lines that a reader sees, without the markup of the product. */
export interface Shown {
  texts: string[];
  links: string[];
}

type Reader = (message: Message) => Shown;

/** Slack: only the headings and the link are markup; `plain_text` and they have no unescaped `<`, `>` and `&`. */
const readSlack: Reader = (message) => {
  const { text, mrkdwn, blocks } = slackBody.parse(JSON.parse(renderSlack(message)));
  expect(mrkdwn).toBe(false);
  const texts = [text];
  const links = [];
  for (const block of blocks) {
    for (const each of block.type === 'context' ? block.elements : [block.text]) {
      if (each.type === 'plain_text') texts.push(each.text);
      else if (each.text.startsWith('<')) links.push(/^<([^<>|]+)\|[\w ]+>$/.exec(each.text)?.[1] ?? 'no link');
      else texts.push(/^\*([\w ]+)\*$/.exec(each.text)?.[1] ?? expect.fail(each.text));
    }
  }
  return { texts: texts.map(unescapeHtml), links: links.map(unescapeHtml) };
};

function unescapeHtml(text: string): string {
  expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Without its backslashes. No character of Markdown is without one. */
function unescapeMarkdown(text: string): string {
  expect(text.replaceAll(/\\[!-/:-@[-`{-~]/g, 'x')).not.toMatch(/[\\*_~`|<>()[\]{}&#]|^\s*[-+=]|^\d+\./m);
  return text.replaceAll(/\\([^\w\s])|\\(_)/g, '$1$2');
}

const readDiscord: Reader = (message) => {
  const { embeds } = discordBody.parse(JSON.parse(renderDiscord(message)));
  const [{ title, description, footer } = expect.fail('no embed')] = embeds;
  const [, body = '', label = '', url = ''] = /^([^]*)\n\n\[([^\]]*)\]\(([^\s()]+)\)$/.exec(description) ?? [];
  const withoutHeadings = body.replaceAll(/^\*\*([\w ]+)\*\*$/gm, '$1');
  return { texts: [...[title, withoutHeadings, label].map(unescapeMarkdown), footer.text], links: [url] };
};

const readTeams: Reader = (message) => {
  const body = renderTeams(message);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_TEAMS_BYTES);
  const { content } = teamsBody.parse(JSON.parse(body)).attachments[0];
  const texts = content.body.map(({ text }) => text);
  // Date functions are replaced before Markdown is read.
  expect(texts.filter((text) => /\n|\{\{|\}\}/.test(text))).toEqual([]);
  return { texts: texts.map(unescapeMarkdown), links: content.actions.map(({ url }) => url) };
};

/** Mail: its HTML has only the elements and attributes of the frame, and the links are those of the product. */
const readMail: Reader = (message) => {
  const { subject, text, html } = renderMail({ message, unsubscribeUrl: UNSUBSCRIBE });
  expect(subject).not.toMatch(/[\r\n]/);
  const texts = [''];
  const links: string[] = [];
  const parser = new Parser({
    onopentag(name, { href, ...attributes }) {
      expect([
        'html',
        'head',
        'meta',
        'title',
        'style',
        'body',
        'div',
        'h1',
        'h2',
        'p',
        'table',
        'tr',
        'td',
        'a',
      ]).toContain(name);
      expect(Object.keys(attributes).filter((each) => !/^(lang|charset|name|content|class|role)$/.test(each))).toEqual(
        [],
      );
      if (href !== undefined) links.push(href);
      texts.push('');
    },
    ontext: (part) => void (texts[texts.length - 1] += part),
  });
  parser.end(html);
  const own = texts.filter((each) => !each.includes(':root')).map((each) => each.trim());
  const isUrl = (line: string): boolean => line === message.link.url || line === UNSUBSCRIBE;
  const lines = text.split('\n').filter((line) => !isUrl(line));
  return { texts: [subject, ...own.filter((each) => !isUrl(each)), ...lines], links };
};

export const CHANNELS: Record<string, { read: Reader; links: (message: Message) => string[] }> = {
  slack: { read: readSlack, links: ({ link }) => [link.url] },
  discord: { read: readDiscord, links: ({ link }) => [link.url] },
  teams: { read: readTeams, links: ({ link }) => [link.url] },
  mail: { read: readMail, links: ({ link }) => [link.url, UNSUBSCRIBE] },
};

/** Fails if a text could become a link or mention in any client, or has invisible characters. */
export function expectHarmless(texts: readonly string[]): void {
  for (const text of texts) {
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toMatch(/[^\P{C}\n\u200b]|[\u2028\u2029]/u);
    expect(text).not.toMatch(/:\/\/|[a-z][a-z\d+.-]*:[^\s\u200b]/iu);
    expect(text).not.toMatch(/[@#\uff20\uff03](?!\u200b)/u);
    expect(text).not.toMatch(/[\p{L}\p{M}\p{N}\p{S}_-][.\u3002\uff0e\uff61][\p{L}\p{M}\p{N}\p{S}_-]/u);
  }
}
