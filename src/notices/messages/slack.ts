/**
 * Messages for incoming webhooks of Slack, as Block Kit. Texts of others are in `plain_text`, which has no markup:
 * https://docs.slack.dev/reference/block-kit/composition-objects/text-object.
 */
import type { Message, Text } from './message.ts';
import { fitted, linesOf, plain, rowText, sourceOf } from './write-text.ts';

const MAX_HEADER = 150;
const MAX_SECTION = 3_000;

/** Returns the JSON body. */
export function renderSlack(message: Message): string {
  const { title, sections = [], link } = message;
  const header = plainText([title], MAX_HEADER);
  return JSON.stringify({
    // Shown in notifications.
    text: header.text,
    mrkdwn: false,
    blocks: [
      { type: 'header', text: header },
      { type: 'section', text: plainText(linesOf(message)) },
      ...sections.flatMap(({ heading, rows }) => [
        { type: 'section', text: markup(`*${escapeSlack(heading)}*`) },
        { type: 'section', text: plainText(rows.map(rowText)) },
      ]),
      { type: 'section', text: markup(`<${escapeSlack(link.url)}|${escapeSlack(link.label)}>`) },
      { type: 'context', elements: [plainText([sourceOf(message)])] },
    ],
  });
}

const plainText = (lines: readonly Text[], limit = MAX_SECTION) => ({
  type: 'plain_text',
  text: fitted(limit, (length) => lines.map((line) => escapeSlack(plain(line, length))).join('\n')),
  emoji: false,
});

/** Text of the product. `verbatim`: without links and mentions that Slack guesses. */
const markup = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
