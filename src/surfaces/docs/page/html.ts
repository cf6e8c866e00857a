/** HTML templates: a value is escaped unless it is HTML already. */
export interface Html {
  readonly html: string;
}

type Value = string | number | Html | undefined | false | readonly Value[];

export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { html: strings.reduce((text, part, at) => text + textOf(values[at - 1]) + part) };
}

/** Marks escaped text as HTML. */
export function raw(text: string): Html {
  return { html: text };
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  if ('html' in value) return value.html;
  return value.map(textOf).join('');
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
