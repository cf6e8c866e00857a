const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));|&/gi;

/** Decodes references. Undefined for an entity that XML does not define, a bare `&`, or a number that is no character. */
export function decodeXmlText(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let isValid = true;
  const decoded = text.replace(REFERENCE, (_, hex?: string, decimal?: string, name?: string) => {
    const number = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : undefined;
    const character = number === undefined ? NAMED.get(name ?? '') : characterOf(number);
    isValid &&= character !== undefined;
    return character ?? '';
  });
  return isValid ? decoded : undefined;
}

/** The content of a CDATA section as `decodeXmlText` reads it. */
export function escapeXmlText(text: string): string {
  return text.replaceAll('&', '&amp;');
}

/** Characters that XML 1.0 does not allow, also as references. Lone surrogates are no valid UTF-8. */
export const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

function characterOf(number: number): string | undefined {
  if (number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff)) return undefined;
  const character = String.fromCodePoint(number);
  return NOT_XML.test(character) ? undefined : character;
}
