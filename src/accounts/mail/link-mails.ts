/** The mails with a link that sets a password. */
import { isoSeconds } from '../../platform/clock.ts';
import type { Role } from '../../vocabulary/actor.ts';
import { emailIssue } from '../user.ts';
import { foreignText } from './foreign-text.ts';
import { mailText } from './mail-text.ts';
import type { Mail } from './outbox.ts';

interface Link {
  /** the email that signs in with it */
  email: string;
  url: string;
  expiresAt: Date;
}

/** `by`: the email of the owner. `role`: null for a person limited to websites. */
export function invitationMail(link: Link, { by, role }: { by: string; role: Role | null }): Mail {
  return linkMail(link, {
    subject: 'You are invited to Detour',
    paragraphs: [
      `${shown(by)} invites you to Detour, which manages the redirects of websites${role ? `. Your role: ${role}` : ''}.`,
      `With the link you choose a password. You then sign in as ${shown(link.email)}.`,
    ],
    label: 'Accept the invitation',
    note: 'If you did not expect this invitation, ignore this mail.',
  });
}

/** `by`: the email of the owner who resets it; null: a person at the sign-in page requested it. */
export function passwordResetMail(link: Link, by: string | null): Mail {
  const email = shown(link.email);
  return linkMail(link, {
    subject: 'Set a new password for Detour',
    paragraphs: [
      by === null
        ? `Someone requested a new password for ${email} on the sign-in page of Detour.`
        : `${shown(by)} sends you a link to set a new password for ${email}.`,
      'Setting it ends all your sessions. With two-factor sign-in, you need its code too. Until then, your password stays valid.',
    ],
    label: 'Set a new password',
    note: 'If you did not request this, ignore this mail. Nothing changes then.',
  });
}

/** A valid email as it is, so that it can be copied. Users of earlier versions may have others. */
const shown = (email: string): string => (emailIssue('email', email) ? foreignText(email) : email);

function linkMail(
  { email, url, expiresAt }: Link,
  { label, note, ...parts }: { subject: string; paragraphs: string[]; label: string; note: string },
): Mail {
  const until = isoSeconds(expiresAt);
  const validity = `The link works once, until ${until.slice(0, 10)} ${until.slice(11, 16)} UTC.`;
  return { to: email, until, ...mailText({ ...parts, action: { label, url }, note: `${validity} ${note}` }) };
}
