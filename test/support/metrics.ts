/** Values of GET /metrics. */

export interface Scrape {
  /** names, in order */
  names: string[];
  /** the sum of a metric over all labels that contain `labels`, such as `outcome="gone"`; undefined without a value */
  value(name: string, labels?: string): number | undefined;
}

export async function scrape(address: string): Promise<Scrape> {
  return parseMetrics(await (await fetch(`${address}/metrics`)).text());
}

export function parseMetrics(text: string): Scrape {
  const samples = [...text.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/gm)];
  return {
    names: [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? ''),
    value(name, labels = '') {
      const found = samples.filter((sample) => sample[1] === name && (sample[2] ?? '').includes(labels));
      return found.length === 0 ? undefined : found.reduce((sum, sample) => sum + Number(sample[3]), 0);
    },
  };
}
