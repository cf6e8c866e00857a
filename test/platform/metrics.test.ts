import { expect, test } from 'vitest';
import { createMetrics } from '../../src/platform/metrics.ts';

test('counters, histograms and gauges are told in the text format of Prometheus', async () => {
  const metrics = createMetrics();
  const plain = metrics.counter('a_total', 'Counted');
  const labelled = metrics.counter('b_total', 'By kind', 'kind');
  const histogram = metrics.histogram('c_seconds', 'Taken', [0.1, 1]);
  metrics.gauge('d', 'Read at each scrape', async () => 7.5);
  metrics.gauge('e', 'Not known at present', () => undefined);
  plain.add();
  plain.add('', 2);
  labelled.add('one');
  labelled.add('two', 3);
  labelled.add('one');
  for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe(value);
  expect(await metrics.text()).toBe(`# HELP a_total Counted
# TYPE a_total counter
a_total 3
# HELP b_total By kind
# TYPE b_total counter
b_total{kind="one"} 2
b_total{kind="two"} 3
# HELP c_seconds Taken
# TYPE c_seconds histogram
c_seconds_bucket{le="0.1"} 2
c_seconds_bucket{le="1"} 3
c_seconds_bucket{le="+Inf"} 4
c_seconds_sum 3.65
c_seconds_count 4
# HELP d Read at each scrape
# TYPE d gauge
d 7.5
# HELP e Not known at present
# TYPE e gauge
`);
});
