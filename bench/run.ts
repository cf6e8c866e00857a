/** `npm run bench [-- rows] [repeats]`: every promise as a ratio to a limit of the same run. 1,000,000 rows and 3 repeats by default. */
import { measureExport } from './export.ts';
import { measureFlush, measureRecording } from './hits.ts';
import { measureImports } from './import.ts';
import { measureOverview } from './overview.ts';
import { finish } from './report.ts';
import { measureLargeRollback, measureRollbacks } from './rollback.ts';
import { measureBytes, measureEdits, measureLoad, measureThroughput } from './serving.ts';
import { startSubject } from './subject.ts';
import { measureWebhooks } from './webhooks.ts';

const DELIVERIES = 25_600;

const [rows = 1_000_000, repeats = 3] = process.argv.slice(2).map(Number);

measureBytes(rows);
let subject = await startSubject();
try {
  const website = await measureImports(subject, rows, repeats);
  await measureExport(subject, website, repeats);
  await measureEdits(subject, website);
  subject = await measureLoad(subject, rows);
  await measureThroughput(subject, website.host, rows);
  await measureRecording(subject.databaseUrl, website.host, rows);
  await measureFlush(subject.databaseUrl);
  // Last: it makes a second environment live, which would be loaded and held as well.
  await measureRollbacks(subject, website, rows);
  await measureLargeRollback(subject, website, rows);
  // Its ten million rows are vacuumed for a while: nothing is measured after them.
  await measureOverview(subject);
} finally {
  await subject.stop();
}
await measureWebhooks(DELIVERIES);
finish(rows);
