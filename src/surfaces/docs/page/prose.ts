/** The Markdown subset of the descriptions: code, bold, links, paragraphs and lists. */
import { escaped, html, type Html, raw } from './html.ts';

/** One line of text. */
export function inline(text: string): Html {
  const marked = escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\[([^\]]+)\]\((#[\w-]+)\)/g, '<a href="$2">$1</a>');
  return raw(marked);
}

/** Paragraphs, and lists whose lines begin with `- `. */
export function prose(text: string): Html[] {
  return text.split('\n\n').map((block) => {
    if (!block.startsWith('- ')) return html`<p>${inline(block)}</p>`;
    const items = block.split('\n').map((line) => html`<li>${inline(line.slice(2))}</li>`);
    return html`<ul>
      ${items}
    </ul>`;
  });
}
