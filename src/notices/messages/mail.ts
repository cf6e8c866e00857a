/** Messages as mail. */
import { type MailText, mailText } from '../../accounts/mail/mail-text.ts';
import type { Message } from './message.ts';
import { fitted, linesOf, plain, sourceOf } from './write-text.ts';

/** A subject is one line of a header, and lists show its beginning. */
const MAX_SUBJECT = 200;

/** `unsubscribeUrl`: the page that ends the mails of the notice. */
export function renderMail({ message, unsubscribeUrl }: { message: Message; unsubscribeUrl: string }): MailText {
  const { title, sections = [], link } = message;
  return mailText({
    subject: fitted(MAX_SUBJECT, (length) => plain(title, length)),
    paragraphs: linesOf(message).map((line) => plain(line)),
    sections: sections.map(({ heading, rows }) => ({
      heading,
      rows: rows.map(({ label, value }) => ({ label: plain(label), value })),
    })),
    action: link,
    note: `${plain(sourceOf(message))}.`,
    unsubscribe: unsubscribeUrl,
  });
}
