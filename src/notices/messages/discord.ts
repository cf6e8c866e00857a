/** Messages for webhooks of Discord, as an embed: https://docs.discord.com/developers/resources/message#embed-object. */
import type { Message, Text } from './message.ts';
import { escapeMarkdown, fitted, linesOf, plain, rowText, sourceOf } from './write-text.ts';

const MAX_TITLE = 256;
const MAX_DESCRIPTION = 4_096;

/** Returns the JSON body. It mentions no one. */
export function renderDiscord(message: Message): string {
  const { sections = [], link } = message;
  const description = (length: number): string => {
    const write = (text: Text): string => escapeMarkdown(plain(text, length));
    const tables = sections.map(({ heading, rows }) =>
      [`**${escapeMarkdown(heading)}**`, ...rows.map((row) => write(rowText(row)))].join('\n'),
    );
    return [...linesOf(message).map(write), ...tables, `[${escapeMarkdown(link.label)}](${link.url})`].join('\n\n');
  };
  return JSON.stringify({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: fitted(MAX_TITLE, (length) => escapeMarkdown(plain(message.title, length))),
        description: fitted(MAX_DESCRIPTION, description),
        // Without Markdown.
        footer: { text: plain(sourceOf(message)) },
      },
    ],
  });
}
