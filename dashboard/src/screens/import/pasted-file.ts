const NAME = 'Pasted rows';
const MAX_SHOWN = 60;

/** Pasted rows as a file. Its name has their first cell, so that imports of pasted rows can be told apart. */
export function pastedFile(text: string): File {
  const [first = ''] = /\S[^\t\r\n,;|]*/.exec(text) ?? [];
  const cell = first.trim();
  const shown = cell.length > MAX_SHOWN ? `${cell.slice(0, MAX_SHOWN)}…` : cell;
  // The service removes folders from names of files, so a name has no slash.
  return new File([text], `${NAME}, first ${shown.replace(/[/\\]/g, '∕')}`, { type: 'text/plain' });
}

export const isPasted = ({ name }: File): boolean => name.startsWith(NAME);
