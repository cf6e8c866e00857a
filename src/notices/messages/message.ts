/** The content of a message, whatever its channel. Each channel has a file here that renders it. */

/** Text of a visitor or user: a path, a name, an error of another system. A channel escapes and cuts it. */
export interface ForeignText {
  foreign: string;
}

/** Text of the product, between texts of others. Plain: no channel interprets it as markup. */
export type Text = readonly (string | ForeignText)[];

export interface Message {
  title: Text;
  /** paragraphs */
  lines: readonly Text[];
  /** only in the digest: a heading and one row per item, with its figure */
  sections?: readonly { heading: string; rows: readonly { label: Text; value: string }[] }[];
  /** the only link; its URL begins with PUBLIC_URL */
  link: { label: string; url: string };
  /** the name of the notice that sends it */
  notice: string;
  /** further causes of the same kind within the hour, which had no message of their own; 0: none */
  more: number;
}
