/** The bodies of a mail, in plain text and HTML. */

export interface MailText {
  /** one line */
  subject: string;
  text: string;
  html: string;
}

export interface MailParts {
  subject: string;
  /** plain text; the HTML escapes it, as everything else */
  paragraphs: readonly string[];
  /** tables after the paragraphs */
  sections?: readonly MailSection[];
  /** the only link besides `unsubscribe`; both URLs begin with PUBLIC_URL */
  action: { label: string; url: string };
  /** in small print after the link */
  note: string;
  /** the page on which the reader ends these mails */
  unsubscribe?: string;
}

interface MailSection {
  heading: string;
  /** `value` is a figure or a time */
  rows: readonly { label: string; value: string }[];
}

/** Writes the bodies. The link is also shown as text. */
export function mailText(parts: MailParts): MailText {
  return { subject: parts.subject, text: plainBody(parts), html: htmlBody(parts) };
}

function plainBody({ paragraphs, sections = [], action, note, unsubscribe }: MailParts): string {
  const tables = sections.map(({ heading, rows }) =>
    [`${heading}:`, ...rows.map(({ label, value }) => `- ${label}: ${value}`)].join('\n'),
  );
  const end = unsubscribe === undefined ? [] : [`Unsubscribe:\n${unsubscribe}`];
  return `${[...paragraphs, ...tables, `${action.label}:\n${action.url}`, note, ...end].join('\n\n')}\n`;
}

function htmlBody({ subject, paragraphs, sections = [], action, note, unsubscribe }: MailParts): string {
  const url = escapeHtml(action.url);
  const end = unsubscribe === undefined ? '' : ` <a href="${escapeHtml(unsubscribe)}">Unsubscribe</a>`;
  return htmlPage(subject, [
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...sections.map(htmlTable),
    `<p><a class="button" href="${url}">${escapeHtml(action.label)}</a></p>`,
    `<p class="small">${url}</p>`,
    `<p class="small">${escapeHtml(note)}${end}</p>`,
  ]);
}

/** A page with a heading, also of links in mail. `content` is HTML. It follows the light or dark mode of the reader. */
export function htmlPage(title: string, content: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body class="page">
<div class="box" role="main">
<h1>${escapeHtml(title)}</h1>
${content.join('\n')}
</div>
</body>
</html>
`;
}

function htmlTable({ heading, rows }: MailSection): string {
  const lines = rows.map(
    ({ label, value }) => `<tr><td>${escapeHtml(label)}</td><td class="value">${escapeHtml(value)}</td></tr>`,
  );
  return `<h2>${escapeHtml(heading)}</h2>\n<table>\n${lines.join('\n')}\n</table>`;
}

export const STYLE = `
:root { color-scheme: light dark; }
.page { margin: 0; padding: 24px 12px; background: #f4f5f7; color: #1c2128; font: 16px/1.5 system-ui, sans-serif; }
.box { max-width: 520px; margin: 0 auto; padding: 24px; background: #ffffff; border-radius: 8px; overflow-wrap: anywhere; }
h1 { margin: 0 0 16px; font-size: 20px; }
h2 { margin: 24px 0 4px; font-size: 16px; }
table { width: 100%; margin: 0 0 24px; border-collapse: collapse; }
td { padding: 6px 0; border-top: 1px solid #dde1e7; vertical-align: top; }
.value { padding-left: 16px; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.button { display: inline-block; padding: 10px 18px; border-radius: 6px; background: #2f5bd8; color: #ffffff; text-decoration: none; border: 0; font: inherit; cursor: pointer; }
.small { color: #5b6470; font-size: 13px; }
.small a { color: inherit; }
@media (prefers-color-scheme: dark) {
  .page { background: #15181d; color: #e6e9ee; }
  .box { background: #1f242b; }
  td { border-color: #39414c; }
  .small { color: #a3adba; }
}
`;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
