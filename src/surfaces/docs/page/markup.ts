/**
 * HTML templates, where a value is escaped unless it is HTML already; JSON; and the Markdown of the descriptions, which has
 * code, bold, links, paragraphs and lists.
 */
export interface Html {
  readonly html: string;
}

type Value = string | number | Html | undefined | false | readonly Value[];

export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { html: strings.reduce((text, part, at) => text + textOf(values[at - 1]) + part) };
}

/** Marks escaped text as HTML. */
function raw(text: string): Html {
  return { html: text };
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  if ('html' in value) return value.html;
  return value.map(textOf).join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

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

/** Strings, with the colon after a key, and other literals. Quotes are escaped already. */
const PARTS = /(&quot;(?:\\.|[^\\])*?&quot;)(:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g;

/** A value as indented, highlighted JSON. */
export function shownJson(value: unknown): Html {
  const text = escaped(JSON.stringify(value, null, 2));
  return raw(
    text.replace(PARTS, (part, string?: string, colon?: string) => {
      if (string === undefined) return `<span class="literal">${part}</span>`;
      return `<span class="${colon ? 'key' : 'text'}">${string}</span>${colon ?? ''}`;
    }),
  );
}
