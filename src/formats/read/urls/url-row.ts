/** A row of a list of URLs, as its file writes it: no address is checked or converted here. */
export interface UrlRow {
  /** Line of the file from 1, or index of the entry from 0 in JSON. */
  line: number;
  /** An address or a path, without surrounding white space. */
  url: string;
  title?: string;
  description?: string;
  headline?: string;
  /** Clicks of a search engine. */
  clicks?: number;
  /** Referring domains where the file has them, else backlinks. */
  links?: number;
  /** Given in place of what follows from clicks, links and hits. Only JSON has it. */
  weight?: number;
  /** The row is one backlink of the URL: rows of the same URL add up. */
  isBacklink?: boolean;
  /** False for a page that is `noindex`, has another canonical, or was not answered with 200. */
  living: boolean;
}

/** A row that has no readable address. */
export interface InvalidUrlRow {
  line: number;
  /** The cell or line, cut at 200 characters. */
  value: string;
  code: string;
}

/** Rows are yielded in batches, so that a consumer pays no turn of the event loop per row. */
export interface UrlBatch {
  rows: UrlRow[];
  invalid: InvalidUrlRow[];
}
