/** Splits the list of a JSON text into its entries, of which one is in memory at a time. */

/**
 * Yields each entry of a JSON list, or of the list `key` of a JSON object, as one line of JSON. Returns false if the text
 * has no such list. Throws a SyntaxError for invalid JSON.
 */
export async function* jsonEntries(chunks: AsyncIterable<string>, key: string): AsyncGenerator<string, boolean> {
  const scanner = createScanner(key);
  for await (const chunk of chunks) {
    for (const entry of scanner.scan(chunk)) yield `${JSON.stringify(JSON.parse(entry))}\n`;
  }
  return scanner.end();
}

function createScanner(key: string) {
  let [depth, inString, isEscaped] = [0, false, false];
  /** the depth of the entries; 0 outside of the list */
  let listDepth = 0;
  let [hasList, hasEntry] = [false, false];
  /** the start of the current entry, from former chunks */
  let text = '';
  /** the last string outside of the list */
  let name = '';

  function inside(char: string): void {
    if (isEscaped) isEscaped = false;
    else if (char === '\\') isEscaped = true;
    else if (char === '"') inString = false;
    if (listDepth === 0 && inString) name += char;
  }

  function nest(char: string): void {
    if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    if (depth < listDepth || depth < 0) throw new SyntaxError(`unexpected ${char}`);
  }

  /** True if the list of entries begins at this character. */
  function opensList(char: string): boolean {
    return char === '[' && !hasList && (depth === 0 || (depth === 1 && name === key));
  }

  return {
    *scan(chunk: string): Generator<string> {
      let start = 0;
      for (let at = 0; at < chunk.length; at++) {
        const char = chunk[at] ?? '';
        if (inString) {
          inside(char);
        } else if (char === '"') {
          inString = true;
          if (listDepth === 0) name = '';
        } else if (opensList(char)) {
          hasList = true;
          listDepth = ++depth;
          start = at + 1;
        } else if (depth === listDepth && listDepth > 0 && (char === ',' || char === ']')) {
          const entry = text + chunk.slice(start, at);
          const isEmpty = char === ']' && !hasEntry && entry.trim() === '';
          [text, start, hasEntry] = ['', at + 1, true];
          if (char === ']') listDepth = 0;
          nest(char);
          if (!isEmpty) yield entry;
        } else nest(char);
      }
      if (listDepth > 0) text += chunk.slice(start);
    },
    end(): boolean {
      if (depth !== 0 || inString) throw new SyntaxError('unexpected end of the text');
      return hasList;
    },
  };
}
