/** The bodies that channels accept, strictly: unknown fields and texts above the limits are rejected. */
import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);

/** Text objects and blocks: https://docs.slack.dev/reference/block-kit. */
const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(max), emoji: z.boolean().optional() });
const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: text(max), verbatim: z.boolean().optional() });

/** A message of an incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. */
export const slackBody = z.strictObject({
  text: text(4_000),
  mrkdwn: z.boolean().optional(),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('header'), text: plainText(150) }),
        z.strictObject({
          type: z.literal('section'),
          text: z.discriminatedUnion('type', [plainText(3_000), mrkdwn(3_000)]),
        }),
        z.strictObject({
          type: z.literal('context'),
          elements: z.array(z.discriminatedUnion('type', [plainText(3_000), mrkdwn(3_000)])).max(10),
        }),
      ]),
    )
    .min(1)
    .max(50),
});

/** Execute webhook: https://docs.discord.com/developers/resources/webhook#execute-webhook, with the limits of embeds. */
export const discordBody = z
  .strictObject({
    allowed_mentions: z.strictObject({ parse: z.array(z.enum(['roles', 'users', 'everyone'])).max(0) }),
    embeds: z
      .array(
        z.strictObject({
          title: text(256),
          description: text(4_096),
          footer: z.strictObject({ text: text(2_048) }),
        }),
      )
      .min(1)
      .max(10),
  })
  .refine(
    ({ embeds }) =>
      embeds.reduce((sum, each) => sum + each.title.length + each.description.length + each.footer.text.length, 0) <=
      6_000,
    'over 6,000 characters in all embeds',
  );

/** A TextBlock: https://adaptivecards.io/explorer/TextBlock.html. */
const textBlock = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string().min(1),
  wrap: z.literal(true),
  size: z.enum(['Default', 'Small', 'Medium', 'Large', 'ExtraLarge']).optional(),
  weight: z.enum(['Default', 'Lighter', 'Bolder']).optional(),
  spacing: z.enum(['Default', 'None', 'Small', 'Medium', 'Large', 'ExtraLarge', 'Padding']).optional(),
  isSubtle: z.boolean().optional(),
  separator: z.boolean().optional(),
});

/**
 * A message with an Adaptive Card:
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using.
 */
export const teamsBody = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
        type: z.literal('AdaptiveCard'),
        version: z.literal('1.4'),
        body: z.array(textBlock).min(1),
        actions: z.tuple([z.strictObject({ type: z.literal('Action.OpenUrl'), title: text(100), url: z.url() })]),
      }),
    }),
  ]),
});

/** Larger messages are rejected; the same page. */
export const MAX_TEAMS_BYTES = 28 * 1024;
