import type { NamedFile } from '../api/client/client.ts';

/** Saves content as a file of the browser's downloads. */
export function saveFile({ name, content }: NamedFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Long enough for the browser to start reading.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
