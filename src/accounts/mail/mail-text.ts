/** The bodies of a mail, in plain text and HTML. */

export interface MailText {
  /** one line, without text of others */
  subject: string;
  text: string;
  html: string;
}

export interface MailParts {
  subject: string;
  /** plain text; the HTML escapes it */
  paragraphs: readonly string[];
  /** the only link; its URL begins with PUBLIC_URL */
  action: { label: string; url: string };
  /** in small print after the link */
  note: string;
}

const MAX_FOREIGN_LENGTH = 200;

/**
 * Text of a user for a mail: one line without control characters, at most 200 characters, and never a link, because a
 * U+200B separates its scheme from its host.
 */
export function foreignText(text: string): string {
  const [...characters] = text.toWellFormed().replaceAll(/[\p{C}\s]+/gu, ' ');
  const cut =
    characters.length > MAX_FOREIGN_LENGTH ? [...characters.slice(0, MAX_FOREIGN_LENGTH - 1), '…'] : characters;
  return cut.join('').replaceAll('://', ':\u200b//');
}

/** Writes the bodies. HTML follows the light or dark mode of the reader; the link is also shown as text. */
export function mailText({ subject, paragraphs, action, note }: MailParts): MailText {
  const url = escapeHtml(action.url);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${STYLE}</style>
</head>
<body class="page">
<div class="box" role="main">
<h1>${escapeHtml(subject)}</h1>
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')}
<p><a class="button" href="${url}">${escapeHtml(action.label)}</a></p>
<p class="small">${url}</p>
<p class="small">${escapeHtml(note)}</p>
</div>
</body>
</html>
`;
  return { subject, text: `${[...paragraphs, `${action.label}:\n${action.url}`, note].join('\n\n')}\n`, html };
}

const STYLE = `
:root { color-scheme: light dark; }
.page { margin: 0; padding: 24px 12px; background: #f4f5f7; color: #1c2128; font: 16px/1.5 system-ui, sans-serif; }
.box { max-width: 520px; margin: 0 auto; padding: 24px; background: #ffffff; border-radius: 8px; overflow-wrap: anywhere; }
h1 { margin: 0 0 16px; font-size: 20px; }
.button { display: inline-block; padding: 10px 18px; border-radius: 6px; background: #2f5bd8; color: #ffffff; text-decoration: none; }
.small { color: #5b6470; font-size: 13px; }
@media (prefers-color-scheme: dark) {
  .page { background: #15181d; color: #e6e9ee; }
  .box { background: #1f242b; }
  .small { color: #a3adba; }
}
`;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
