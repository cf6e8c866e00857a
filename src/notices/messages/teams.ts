/**
 * Messages for Workflows of Microsoft Teams, as an Adaptive Card:
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using#send-adaptive-cards-using-an-incoming-webhook.
 */
import type { Message, Text } from './message.ts';
import { escapeMarkdown, fitted, linesOf, plain, rowText, sourceOf } from './write-text.ts';

/** Bytes of a message; larger ones are rejected. */
const MAX_BYTES = 28 * 1024;

/** Returns the JSON body. */
export const renderTeams = (message: Message): string =>
  fitted(MAX_BYTES, (length) => JSON.stringify(bodyOf(message, length)), Buffer.byteLength);

function bodyOf(message: Message, length: number) {
  const { title, sections = [], link } = message;
  const block = (text: Text, style = {}) => ({
    type: 'TextBlock',
    text: escapeMarkdown(plain(text, length)),
    wrap: true,
    ...style,
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(title, { size: 'Large', weight: 'Bolder' }),
      ...linesOf(message).map((line) => block(line)),
      ...sections.flatMap(({ heading, rows }) => [
        block([heading], { weight: 'Bolder', separator: true }),
        ...rows.map((row) => block(rowText(row), { spacing: 'Small' })),
      ]),
      block(sourceOf(message), { size: 'Small', isSubtle: true }),
    ],
    actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
